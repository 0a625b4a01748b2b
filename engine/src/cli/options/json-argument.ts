// JSON on the command line: as it stands, from `@file`, or from the input with `-`; refused with the place where it is wrong.
import { readFile } from "node:fs/promises"
import { text as readAll } from "node:stream/consumers"
import { isObject } from "../../support/json.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"
import type { Surroundings } from "../terminal/surroundings.ts"
import { jsonPlace } from "./json-place.ts"

export const JSON_HINT = "a JSON object, @file, or - for the input"

/** Nothing given is an empty object. `what` names it in errors: `--variables`, `the payload`. */
export async function jsonArgument(
  around: Pick<Surroundings, "input">,
  given: string | undefined,
  what: string,
): Promise<Record<string, unknown>> {
  if (given === undefined) return {}
  if (given === "-") return jsonObject(await readAll(around.input), `${what} from the input`)
  if (!given.startsWith("@")) return jsonObject(given, what)
  const path = given.slice(1)
  return jsonObject(await readText(path), `${what} in ${cellText(path)}`)
}

/** A file that cannot be read is a wrong call: nothing was sent. */
export async function readText(path: string): Promise<string> {
  try {
    // Editors on Windows put a mark before the text that no JSON may have.
    return (await readFile(path, "utf8")).replace(/^\ufeff/, "")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : `${code}`
    throw calledWrongly(`${cellText(path)} cannot be read: ${why}`)
  }
}

export function jsonObject(json: string, what: string): Record<string, unknown> {
  if (json.trim() === "") throw calledWrongly(`${what} is empty: give a JSON object, {} at the least`)
  const place = jsonPlace(json)
  if (place) {
    const { line, column, message, picture } = place
    const lines = picture.map((one) => `\n  ${one}`).join("")
    throw calledWrongly(`${what} is not JSON: line ${line}, column ${column}: ${message}${lines}`)
  }
  const value: unknown = JSON.parse(json)
  if (isObject(value)) return value
  throw calledWrongly(`${what} must be a JSON object, such as '{"to":"ada@example.test"}'`)
}
