// Where two JSON values differ, a line each, for people.
import { isDeepStrictEqual } from "node:util"

const MOST_LINES = 20
const LONGEST_VALUE = 200

/** `expected` is what the undisturbed run gave. */
export function describeDifference(expected: unknown, found: unknown): string {
  const lines = differences(expected, found, "")
  const shown = lines.slice(0, MOST_LINES)
  if (lines.length > shown.length) shown.push(`  … and ${lines.length - shown.length} more`)
  return shown.join("\n")
}

function differences(expected: unknown, found: unknown, path: string): string[] {
  if (isDeepStrictEqual(expected, found)) return []
  if (!isBranch(expected) || !isBranch(found) || Array.isArray(expected) !== Array.isArray(found))
    return [`  ${path || "the outcome"}: ${shown(expected)} undisturbed, ${shown(found)} now`]
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)])
  return [...keys].flatMap((key) => differences(expected[key], found[key], path ? `${path}.${key}` : key))
}

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

function shown(value: unknown): string {
  if (value === undefined) return "missing"
  const text = JSON.stringify(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
