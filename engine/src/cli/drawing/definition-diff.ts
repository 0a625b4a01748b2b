// What is different between two definitions: fields by their paths, steps by their ids.
import { isDeepStrictEqual } from "node:util"
import { isObject } from "../../support/json.ts"
import { cellText } from "./cell-text.ts"
import type { Style } from "./paint.ts"
import type { Canvas } from "./table.ts"

export interface Change {
  /** `deadline`, or `steps.charge.retry.maxAttempts`. */
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

interface Compared {
  readonly steps: readonly { readonly id: string }[]
}

/** Set by the upload, so never alike. */
const STAMPS = new Set(["version", "uploadedAt", "steps"])

export function diffDefinitions(before: Compared, after: Compared): readonly Change[] {
  const [old, now] = [byId(before), byId(after)]
  const ids = [...new Set([...old.keys(), ...now.keys()])]
  return [
    ...diff(fieldsOf(before), fieldsOf(after), ""),
    ...ids.flatMap((id) => diff(old.get(id), now.get(id), `steps.${id}`)),
    ...orderOf([...old.keys()], [...now.keys()]),
  ]
}

const byId = ({ steps }: Compared) => new Map(steps.map((step) => [step.id, step]))

const fieldsOf = (definition: object): object =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => !STAMPS.has(name)))

/** In lists, and for the first step, the order has a meaning. */
function orderOf(old: readonly string[], now: readonly string[]): readonly Change[] {
  const before = old.filter((id) => now.includes(id))
  const after = now.filter((id) => old.includes(id))
  return isDeepStrictEqual(before, after) ? [] : [{ path: "steps (order)", before, after }]
}

function diff(before: unknown, after: unknown, path: string): readonly Change[] {
  if (isDeepStrictEqual(before, after) || (saysNothing(before) && saysNothing(after))) return []
  if (!isObject(before) || !isObject(after))
    return [{ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => diff(before[name], after[name], path === "" ? name : `${path}.${name}`))
}

/** The engine takes these for a field that is left out. */
const saysNothing = (value: unknown): boolean =>
  value === undefined || value === false || value === 0 || value === "" || (Array.isArray(value) && value.length === 0)

export interface DefinitionDiff {
  readonly definition: string
  readonly from: string
  readonly to: string
  readonly changes: readonly Change[]
}

export function drawDiff({ definition, from, to, changes }: DefinitionDiff, { paint }: Canvas): readonly string[] {
  const names = `${cellText(definition)}: ${cellText(from)} and ${cellText(to)}`
  if (changes.length === 0) return [`${names} are the same.`]
  const line = (style: Style, sign: string, value: unknown) => paint(style, `  ${sign} ${cellText(value)}`)
  const title = paint("bold", `${cellText(definition)}: from ${cellText(from)} to ${cellText(to)}`)
  return [
    title,
    ...changes.flatMap(({ path, before, after }) => [
      paint("cyan", cellText(path)),
      ...(before === undefined ? [] : [line("red", "-", before)]),
      ...(after === undefined ? [] : [line("green", "+", after)]),
    ]),
  ]
}
