// The parts a strict parser is made of: each check looks at one value and reports every fault it finds in it.
import { hasControlCharacter } from "../../support/control-characters.ts"
import { isObject } from "../../support/json.ts"
import { ISO_DURATION_HINT, parseIsoDuration } from "../kernel/durations.ts"
import { closestName } from "./closest-name.ts"
import { kindOf } from "./expressions/kind-of.ts"
import { child } from "./json-path.ts"

export type Report = (path: string, message: string, hint: string) => void
export type Check = (value: unknown, path: string, report: Report) => void

export function text({ min, max }: { min: number; max: number }): Check {
  return (value, path, report) => {
    if (typeof value !== "string") return wrongKind("a string", value, path, report)
    if (value.length >= min && value.length <= max && (min === 0 || value.trim() !== "")) return
    report(path, `must have ${min} to ${max} characters and not be blank`, `it has ${value.length}`)
  }
}

/** A name that people read. */
export function line(bounds: { min: number; max: number }): Check {
  const check = text(bounds)
  return (value, path, report) => {
    check(value, path, report)
    if (typeof value === "string" && hasControlCharacter(value))
      report(path, "has control characters", "leave out line ends, tabs and the like")
  }
}

/** A name that appears in URLs, topics or index keys: a fixed alphabet. */
export function identifier({ max, dots }: { max: number; dots: boolean }): Check {
  const pattern = dots ? /^[A-Za-z0-9_:.-]+$/ : /^[A-Za-z0-9_:-]+$/
  const alphabet = dots ? "letters, digits, `_`, `:`, `-` and `.`" : "letters, digits, `_`, `:` and `-`"
  return (value, path, report) => {
    if (typeof value !== "string") return wrongKind("a string", value, path, report)
    if (value.length <= max && pattern.test(value)) return
    report(path, `is not a valid name: 1 to ${max} characters, only ${alphabet}`, "rename it, and what refers to it")
  }
}

export function number({ min, max, whole }: { min: number; max: number; whole: boolean }): Check {
  const wanted = whole ? "an integer" : "a number"
  return (value, path, report) => {
    if (typeof value !== "number") return wrongKind(wanted, value, path, report)
    if (value >= min && value <= max && (!whole || Number.isInteger(value))) return
    report(path, `must be ${wanted} from ${min} to ${max}`, `it is ${value}`)
  }
}

export function oneOf(allowed: readonly string[]): Check {
  return (value, path, report) => {
    if (typeof value === "string" && allowed.includes(value)) return
    const meant = typeof value === "string" ? closestName(value, allowed) : undefined
    const hint = meant === undefined ? "use one of these words" : `did you mean "${meant}"?`
    report(path, `must be one of ${allowed.map((word) => JSON.stringify(word)).join(", ")}`, hint)
  }
}

export const flag: Check = (value, path, report) => {
  if (typeof value !== "boolean") wrongKind("true or false", value, path, report)
}

export const duration: Check = (value, path, report) => {
  if (typeof value !== "string") return wrongKind("a duration", value, path, report)
  if (parseIsoDuration(value) === undefined) report(path, "is not a valid duration", ISO_DURATION_HINT)
}

export const object: Check = (value, path, report) => {
  if (!isObject(value)) wrongKind("an object", value, path, report)
}

export function list(item: Check, { min, max }: { min: number; max: number }): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) return wrongKind("an array", value, path, report)
    if (value.length < min) report(path, `must have at least ${min} entries`, `it has ${value.length}`)
    // Beyond the limit the entries are not looked at: a list of a million faults is of no use.
    if (value.length > max) return report(path, `must have at most ${max} entries`, `it has ${value.length}`)
    for (const [index, entry] of value.entries()) item(entry, child(path, index), report)
  }
}

export function wrongKind(wanted: string, value: unknown, path: string, report: Report): void {
  const hint = value === null ? "leave the field out instead of setting it to null" : "correct the value's type"
  report(path, `must be ${wanted}, not ${kindOf(value)}`, hint)
}
