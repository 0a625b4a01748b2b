// Other values on the command line: JSON objects, a key with a value, and leaving out what was not given.
import { InvalidArgumentError } from "commander"
import { isObject } from "../../support/json.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"

/** Judged before anything is sent: the words of the JSON parser say where the mistake is. */
export function jsonObject(json: string, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    if (isObject(value)) return value
  } catch (error) {
    throw calledWrongly(`${what} is not JSON: ${cellText((error as Error).message)}`)
  }
  throw calledWrongly(`${what} must be a JSON object, such as '{"to":"ada@example.test"}'`)
}

export interface Keyed<Value> {
  readonly key: string
  readonly value: Value
}

/** `ada:10m`. The key may have colons of its own. */
export const keyAnd =
  <Value>(read: (text: string) => Value) =>
  (text: string): Keyed<Value> => {
    const colon = text.lastIndexOf(":")
    if (colon < 1) throw new InvalidArgumentError("It must be a key, a colon and a value.")
    return { key: text.slice(0, colon), value: read(text.slice(colon + 1)) }
  }

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Only what was given: an option that is left out is not sent. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>
