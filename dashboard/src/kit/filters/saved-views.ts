// Views of a list: filters with a name. Some are always there, those that a person saves are kept in this browser.
import { useSyncExternalStore } from "react"
import type { RawSearch } from "../../api/search-text.ts"
import type { FilterValues } from "./filter-kind.ts"

export interface View {
  readonly name: string
  readonly filter: FilterValues
  /** What it shows, where its name does not say it. */
  readonly help?: string
}

/** The views of one list. */
export interface Views {
  /** Under `millrace-<name>-filters` they are kept. */
  readonly name: "instance" | "job" | "dead-letter" | "user-task"
  readonly to: "/instances" | "/jobs" | "/dead-letters" | "/user-tasks"
  readonly builtIn: readonly View[]
  readonly read: (search: RawSearch) => FilterValues
  readonly lines: (filter: FilterValues) => readonly string[]
}

type Kept = Pick<Views, "name" | "read">

const listeners = new Set<() => void>()

/** What is stored can be anything: another version of this page, or a person, wrote it. */
export function parseSaved(stored: string | null, read: Views["read"]): readonly View[] {
  try {
    const list: unknown = JSON.parse(stored ?? "[]")
    return Array.isArray(list) ? list.flatMap((one) => viewOf(one, read)) : []
  } catch {
    return []
  }
}

function viewOf(one: { name?: unknown; filter?: unknown } | null, read: Views["read"]): View[] {
  if (typeof one?.name !== "string" || typeof one.filter !== "object" || one.filter === null) return []
  return [{ name: one.name, filter: read(one.filter as RawSearch) }]
}

/** One of the same name is replaced; by name. */
export const withSaved = (list: readonly View[], added: View): readonly View[] =>
  [...withoutSaved(list, added.name), added].sort((a, b) => a.name.localeCompare(b.name))

export const withoutSaved = (list: readonly View[], name: string): readonly View[] =>
  list.filter((one) => one.name !== name)

const cache = new Map<string, { readonly stored: string | null; readonly list: readonly View[] }>()

const keyOf = ({ name }: Kept): string => `millrace-${name}-filters`

function readSaved(views: Kept): readonly View[] {
  const key = keyOf(views)
  const stored = localStorage.getItem(key)
  const cached = cache.get(key)
  if (cached?.stored === stored) return cached.list
  const list = parseSaved(stored, views.read)
  cache.set(key, { stored, list })
  return list
}

function write(views: Kept, list: readonly View[]): void {
  localStorage.setItem(keyOf(views), JSON.stringify(list))
  for (const listener of listeners) listener()
}

export const saveView = (views: Kept, added: View): void => write(views, withSaved(readSaved(views), added))
export const forgetView = (views: Kept, name: string): void => write(views, withoutSaved(readSaved(views), name))

/** Another tab's changes are seen, too. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

export const useSavedViews = (views: Kept): readonly View[] => useSyncExternalStore(subscribe, () => readSaved(views))

/** Whether both show the same. */
export const isSameFilter = (a: FilterValues, b: FilterValues): boolean =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => a[name] === b[name])
