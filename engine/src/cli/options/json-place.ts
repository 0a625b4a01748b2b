// Where JSON is wrong, as people look for it: line, column, what was expected there, and the line with a mark under the place.
import { cellText, cut } from "../drawing/cell-text.ts"
import { findJsonFault } from "./json-fault.ts"

export interface JsonPlace {
  readonly line: number
  readonly column: number
  readonly message: string
  /** Two lines: the text around the place, and a mark under it. */
  readonly picture: readonly [string, string]
}

/** More of a line does not fit beside its place. */
const BEFORE = 40
const SHOWN = 72

/** Undefined for a text that is JSON. */
export function jsonPlace(json: string): JsonPlace | undefined {
  const fault = findJsonFault(json)
  if (!fault) return undefined
  const before = json.slice(0, fault.at).split("\n")
  const column = before.at(-1)?.length ?? 0
  const whole = json.split("\n")[before.length - 1] ?? ""
  const from = Math.max(0, column - BEFORE)
  const shown = cut(whole.slice(from).replaceAll(/[\p{Cc}\p{Cf}]/gu, " "), SHOWN)
  const found = fault.at >= json.length ? "it ends too early" : `found ${cellText(json[fault.at]) || "a blank"}`
  return {
    line: before.length,
    column: column + 1,
    message: `expected ${fault.expected}, ${found}`,
    picture: [shown, `${" ".repeat(column - from)}^`],
  }
}
