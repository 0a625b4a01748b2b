// Checks an object against the table of its fields: what is missing, what is wrong, what is not known.
import { isObject } from "../../support/json.ts"
import { type Check, type Report, wrongKind } from "./checks.ts"
import { closestName } from "./closest-name.ts"
import { child, shortened } from "./json-path.ts"

interface Field {
  readonly check: Check
  readonly required: boolean
}
export type Fields = ReadonlyMap<string, Field>

// An object with thousands of unknown fields is reported by its first ones.
const UNKNOWN_LISTED = 20

export function fields(table: { required?: Record<string, Check>; optional?: Record<string, Check> }): Fields {
  const entries = (checks: Record<string, Check> = {}, required: boolean): [string, Field][] =>
    Object.entries(checks).map(([name, check]) => [name, { check, required }])
  return new Map([...entries(table.required, true), ...entries(table.optional, false)])
}

/** `explain` may say more about an unknown field than a guess at its spelling. */
export function checkFields(known: Fields, explain?: (name: string, path: string, report: Report) => boolean): Check {
  return (value, path, report) => {
    if (!isObject(value)) return wrongKind("an object", value, path, report)
    checkKnown(known, value, path, report)
    const unknown = Object.keys(value).filter((name) => !known.has(name))
    for (const name of unknown.slice(0, UNKNOWN_LISTED)) {
      if (!explain?.(name, path, report)) reportUnknown(name, known, path, report)
    }
    if (unknown.length <= UNKNOWN_LISTED) return
    report(path, `has ${unknown.length - UNKNOWN_LISTED} further unknown fields`, "remove them")
  }
}

function checkKnown(known: Fields, value: Record<string, unknown>, path: string, report: Report): void {
  for (const [name, { check, required }] of known) {
    if (Object.hasOwn(value, name)) check(value[name], child(path, name), report)
    else if (required) reportMissing(name, Object.keys(value), path, report)
  }
}

function reportMissing(name: string, present: readonly string[], path: string, report: Report): void {
  const typo = closestName(name, present)
  report(child(path, name), "is required", typo === undefined ? `add \`${name}\`` : `is it written \`${typo}\` here?`)
}

function reportUnknown(name: string, known: Fields, path: string, report: Report): void {
  const meant = closestName(name, known.keys())
  const hint = meant === undefined ? `known here: ${[...known.keys()].join(", ")}` : `did you mean \`${meant}\`?`
  report(child(path, name), `unknown field \`${shortened(name)}\``, hint)
}
