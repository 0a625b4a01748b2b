// Other values on the command line: a key with a value, and leaving out what was not given.
import { InvalidArgumentError } from "commander"

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
