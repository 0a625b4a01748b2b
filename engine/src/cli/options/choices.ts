// Words of which one must be chosen, refused with the list of them before anything is sent.
import { InvalidArgumentError } from "commander"
import { PRIORITIES } from "../../model/definitions/definition.ts"

export const oneOf =
  <Choice extends string>(...choices: readonly Choice[]) =>
  (text: string): Choice => {
    const found = choices.find((choice) => choice === text)
    if (!found) throw new InvalidArgumentError(`It must be ${choices.join(", ")}.`)
    return found
  }

export const priority = oneOf(...PRIORITIES)
