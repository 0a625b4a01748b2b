// The commands of a program as plain data, from which the completions of the shells are written.
import type { Argument, Command, Option } from "commander"

export interface Word {
  readonly name: string
  readonly description: string
}

export interface OptionWord extends Word {
  readonly short?: string
  readonly takesValue: boolean
  /** What its value may be; empty where it may be anything. */
  readonly choices: readonly string[]
}

export interface CommandNode {
  /** The words that lead to it: `jobs enqueue`, or nothing for the program itself. */
  readonly path: string
  readonly commands: readonly Word[]
  readonly options: readonly OptionWord[]
  /** What its arguments may be; empty where they may be anything, such as a file. */
  readonly choices: readonly string[]
}

/** Every command, the program first. A group whose list runs without a name takes the options of the list as well. */
export function commandTree(program: Command): readonly CommandNode[] {
  return nodesOf(program, [])
}

function nodesOf(command: Command, path: readonly string[]): readonly CommandNode[] {
  const list = command.commands.find((one) => one.name() === "list")
  const node = {
    path: path.join(" "),
    commands: command.commands.flatMap(wordsOf),
    options: optionsOf(command, list),
    choices: command.registeredArguments.flatMap(choicesOf),
  }
  const inner = command.commands.flatMap((one) =>
    [one.name(), ...one.aliases()].flatMap((name) => nodesOf(one, [...path, name])),
  )
  return [node, ...inner]
}

const wordsOf = (command: Command): readonly Word[] =>
  [command.name(), ...command.aliases()].map((name) => ({ name, description: command.description() }))

function optionsOf(command: Command, list: Command | undefined): readonly OptionWord[] {
  const options = [command, ...(list ? [list] : [])].flatMap((one) => one.createHelp().visibleOptions(one))
  const words = options.map(wordOf)
  return words.filter(({ name }, at) => words.findIndex((other) => other.name === name) === at)
}

const wordOf = (option: Option): OptionWord => ({
  name: option.long ?? option.short ?? "",
  description: option.description,
  takesValue: option.required || option.optional,
  choices: choicesOf(option),
  ...(option.short && option.long ? { short: option.short } : {}),
})

/** A reader that knows its choices says so; see options/choices.ts. */
const choicesOf = ({ argChoices, parseArg }: Pick<Argument | Option, "argChoices" | "parseArg">): readonly string[] =>
  argChoices ?? (parseArg as { readonly choices?: readonly string[] } | undefined)?.choices ?? []
