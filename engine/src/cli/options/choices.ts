// Words of which one must be chosen, refused with the list of them before anything is sent.
import { InvalidArgumentError } from "commander"
import { PRIORITIES } from "../../model/definitions/definition.ts"

/** Reads a word of the command line; what it may be is offered by the shell's completion. */
export interface Chooser<Choice extends string> {
  (text: string): Choice
  readonly choices: readonly string[]
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Chooser<Choice> {
  const choose = (text: string): Choice => {
    const found = choices.find((choice) => choice === text)
    if (!found) throw new InvalidArgumentError(`It must be ${choices.join(", ")}.`)
    return found
  }
  return Object.assign(choose, { choices })
}

/** Statuses are in capitals on the wire; at a terminal small letters do as well. */
export function statusOf<Status extends string>(...statuses: readonly Status[]): Chooser<Status> {
  const choose = oneOf(...statuses)
  return Object.assign((text: string) => choose(text.toUpperCase()), {
    choices: statuses.map((status) => status.toLowerCase()),
  })
}

export const priority = oneOf(...PRIORITIES)
