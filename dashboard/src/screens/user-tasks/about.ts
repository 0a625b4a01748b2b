// What a task is about, in a few words: the variables of its instance that were chosen for its definition, or else the first short ones.
import { useSyncExternalStore } from "react"
import type { UserTask } from "../../api/user-tasks.ts"

export interface Fact {
  readonly name: string
  readonly value: string
}

const KEY = "millrace-task-facts"
/** Without a choice. */
const USUAL = 3
/** What is longer is no fact for a line of a list. */
const SHORT = 60

/** Names of variables by definition. */
type Choices = Readonly<Record<string, readonly string[]>>

export function aboutOf({ variables, definitionId }: UserTask, choices: Choices): readonly Fact[] {
  const chosen = choices[definitionId]
  if (chosen) return chosen.flatMap((name) => factOf(name, variables[name]))
  return Object.entries(variables)
    .flatMap(([name, value]) => factOf(name, value))
    .filter(({ value }) => value.length <= SHORT)
    .slice(0, USUAL)
}

/** Text, numbers, yes and no: lists and objects are for the context. */
function factOf(name: string, value: unknown): readonly Fact[] {
  if (typeof value === "boolean") return [{ name, value: value ? "yes" : "no" }]
  return (typeof value === "string" && value !== "") || typeof value === "number"
    ? [{ name, value: String(value) }]
    : []
}

export const isFact = (value: unknown): boolean => factOf("", value).length > 0

/** With one more or one less; what is shown without a choice is where a choice begins. */
export function toggled(task: UserTask, choices: Choices, name: string): Choices {
  const shown = aboutOf(task, choices).map((fact) => fact.name)
  const next = shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name]
  return { ...choices, [task.definitionId]: next }
}

// Kept in the browser: it is how one person reads, and not the engine's concern.
let choices: Choices = read()
const listeners = new Set<() => void>()

function read(): Choices {
  try {
    return JSON.parse(globalThis.localStorage?.getItem(KEY) ?? "{}") as Choices
  } catch {
    return {}
  }
}

export function choose(next: Choices): void {
  choices = next
  localStorage.setItem(KEY, JSON.stringify(next))
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useChoices = (): Choices => useSyncExternalStore(subscribe, () => choices)
