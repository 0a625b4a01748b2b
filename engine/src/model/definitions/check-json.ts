// What every stored document must be: plain JSON that PostgreSQL and JavaScript can both hold.

import type { Report } from "./checks.ts"
import { kindOf } from "./expressions/kind-of.ts"
import { child } from "./json-path.ts"

const DEEPEST = 32
// Copying such a key would reach the prototype of the copy.
const FORBIDDEN_KEYS = new Set(["__proto__", "prototype", "constructor"])
const LONE_SURROGATE = /\p{Surrogate}/u

export function checkJson(value: unknown, path: string, report: Report, depth = 1): void {
  if (typeof value === "string") checkText(value, path, report)
  else if (typeof value !== "object" || value === null) checkScalar(value, path, report)
  else if (depth > DEEPEST) report(path, `is nested deeper than ${DEEPEST}`, "flatten the document")
  else checkEntries(value, path, report, depth)
}

function checkEntries(value: object, path: string, report: Report, depth: number): void {
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    if (typeof key === "string") checkKey(key, path, report)
    checkJson(inner, child(path, key), report, depth + 1)
  }
}

function checkKey(key: string, path: string, report: Report): void {
  if (FORBIDDEN_KEYS.has(key)) report(child(path, key), `\`${key}\` may not be used as a name`, "rename it")
  checkText(key, child(path, key), report)
}

function checkText(text: string, path: string, report: Report): void {
  if (!text.includes("\u0000") && !LONE_SURROGATE.test(text)) return
  report(path, "holds a character that cannot be stored (NUL or half a surrogate pair)", "remove the character")
}

function checkScalar(value: unknown, path: string, report: Report): void {
  const isJson = value === null || typeof value === "boolean" || Number.isFinite(value)
  if (!isJson) report(path, `is not JSON: ${kindOf(value)}`, "only JSON values can be stored")
}
