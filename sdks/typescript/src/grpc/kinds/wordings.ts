// What the engine says of a value of a wrong kind: of a definition in the words of its checks, of other requests in those of its fields.
import type { Violation } from "../../generated/wire.ts"

type Fault = Omit<Violation, "path">

export interface Wording {
  /** False for a definition, where null is refused. */
  readonly nullIsAbsent: boolean
  readonly fault: (held: unknown, kind: string) => Fault
  /** What a refusal says before it lists them. */
  readonly summary: (violations: readonly Violation[]) => string
}

export const REQUEST_WORDING: Wording = {
  nullIsAbsent: true,
  summary([first, ...more]) {
    const others = more.length > 0 ? `, and ${more.length} more` : ""
    return `${first?.path} ${first?.message}${others}`
  },
  fault(held, kind) {
    const [name = "", ...more] = kind.split(" ")
    const hint = `it is ${named(held, "a list")}`
    switch (name) {
      case "flag":
        return { message: "must be true or false", hint }
      case "moment":
        return { message: "must be a time", hint: "write it like 2025-03-01T09:31:00.000Z" }
      case "words":
        return { message: `must be one of ${more.join(", ")}`, hint: "use one of these words, spelt as here" }
      case "strings":
        return {
          message: `must be a list of ${more.join(" to ")} strings`,
          hint: "each of 1 to 200 bytes, without control characters",
        }
      case "whole":
        return wholeFault(held, more)
      case "number":
        return { message: `must be a number from ${more.join(" to ")}`, hint: "send it as a number, not as text" }
      default:
        return { message: `must be ${WANTED[name] ?? "a list"}`, hint }
    }
  },
}

/** What has no bounds is put into them by the engine, over REST a fraction too. */
function wholeFault(held: unknown, bounds: readonly string[]): Fault {
  if (bounds.length > 0)
    return { message: `must be a whole number from ${bounds.join(" to ")}`, hint: "send digits only" }
  if (typeof held === "number") return { message: "must be a whole number", hint: `it is ${held}` }
  return { message: "must be a number", hint: `it is ${named(held, "a list")}` }
}

export const DEFINITION_WORDING: Wording = {
  nullIsAbsent: false,
  summary: ({ length }) => `the definition has ${length} violation${length === 1 ? "" : "s"}`,
  fault(held, kind) {
    const [name = "", ...more] = kind.split(" ")
    if (name === "words")
      return {
        message: `must be one of ${more.map((word) => JSON.stringify(word)).join(", ")}`,
        hint: "use one of these words",
      }
    if (typeof held === "number" && NUMBERS.has(name) && more.length > 0)
      return { message: `must be ${WANTED[name]} from ${more.join(" to ")}`, hint: `it is ${held}` }
    const hint = held === null ? "leave the field out instead of setting it to null" : "correct the value's type"
    return { message: `must be ${WANTED[name] ?? "an array"}, not ${named(held, "an array")}`, hint }
  },
}

const NUMBERS = new Set(["whole", "number"])

const WANTED: Readonly<Record<string, string>> = {
  text: "a string",
  flag: "true or false",
  whole: "an integer",
  number: "a number",
  duration: "a duration",
  object: "an object",
}

function named(held: unknown, list: string): string {
  if (held === null) return "null"
  if (Array.isArray(held)) return list
  return typeof held === "object" ? "an object" : `a ${typeof held}`
}
