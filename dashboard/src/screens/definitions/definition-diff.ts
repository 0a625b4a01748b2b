// What changed between two versions of a definition, by what it means: the order of keys is nothing, the order of conditions is.
import type { Definition, Step } from "../../api/definitions.ts"
import { jsonText } from "../../kit/json.tsx"

export interface FieldChange {
  /** `retry.base`; the name of the field where its value is shown as a whole. */
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  /** The same entries, but in another order, which decides who is asked first. */
  readonly isOrder: boolean
}

export interface StepChange {
  readonly kind: "added" | "removed" | "changed"
  readonly step: Step
  readonly changes: readonly FieldChange[]
}

export interface DefinitionDiff {
  readonly fields: readonly FieldChange[]
  readonly steps: readonly StepChange[]
  /** The step that every instance begins with, when it is another one. */
  readonly entry: { readonly before: string; readonly after: string } | undefined
  readonly isReordered: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** First true wins, and assignments are made as written: in these order is meaning. */
const ORDERED = new Set(["conditionalNextSteps", "transformations"])
const NOT_CONTENT = new Set(["version", "uploadedAt", "steps"])

export function diffDefinitions(before: Definition, after: Definition): DefinitionDiff {
  const old = new Map(before.steps.map((step) => [step.id, step]))
  const now = new Map(after.steps.map((step) => [step.id, step]))
  const [first, newFirst] = [before.steps[0]?.id ?? "", after.steps[0]?.id ?? ""]
  return {
    fields: changesOf(content(before), content(after)),
    steps: [
      ...after.steps.flatMap((step): StepChange[] => {
        const earlier = old.get(step.id)
        if (!earlier) return [{ kind: "added", step, changes: [] }]
        const changes = changesOf(fieldsOf(earlier), fieldsOf(step))
        return changes.length > 0 ? [{ kind: "changed", step, changes }] : []
      }),
      ...before.steps
        .filter(({ id }) => !now.has(id))
        .map((step): StepChange => ({ kind: "removed", step, changes: [] })),
    ],
    entry: first === newFirst ? undefined : { before: first, after: newFirst },
    isReordered: idsIn(before, now) !== idsIn(after, old),
  }
}

const idsIn = ({ steps }: Definition, others: ReadonlyMap<string, Step>): string =>
  steps
    .map(({ id }) => id)
    .filter((id) => others.has(id))
    .join("\n")

const fieldsOf = (value: object): Fields => value as Fields

const content = (definition: Definition): Fields =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !NOT_CONTENT.has(name)))

/** Objects are entered, so that one changed setting is one line. */
function changesOf(before: Fields, after: Fields, within = ""): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const field = within === "" ? name : `${within}.${name}`
    const [old, now] = [before[name], after[name]]
    if (textOf(old, ORDERED.has(name)) === textOf(now, ORDERED.has(name))) return []
    if (isFields(old) && isFields(now) && !ORDERED.has(name)) return changesOf(old, now, field)
    return [{ field, before: old, after: now, isOrder: textOf(old) === textOf(now) }]
  })
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown, keepsOrder = false): string =>
  JSON.stringify(keepsOrder && isFields(value) ? Object.entries(value) : sorted(value)) ?? ""

const FIRST = ["id", "name", "type", "description"]

/** Both versions with their keys in one order, so that the lines that differ are those that mean something else. */
export function comparableText(definition: Definition): string {
  const { version: _version, uploadedAt: _uploadedAt, ...document } = definition
  return jsonText(sorted(document))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isFields(value)) return value
  const names = Object.keys(value).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return Object.fromEntries(names.map((name) => [name, ORDERED.has(name) ? value[name] : sorted(value[name])]))
}

const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
