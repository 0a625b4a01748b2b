// What the groups of operator commands share: a list that needs no name, options, and words that lead nowhere.
import { type Command, InvalidArgumentError } from "commander"
import { safeText } from "../../support/redact.ts"
import { calledWrongly } from "../command-error.ts"

const LIST = "list"

/** `millrace queues` is `millrace queues list`. */
export function listCommand(group: Command, description: string): Command {
  return group
    .command(LIST, { isDefault: true })
    .description(description)
    .allowExcessArguments()
    .hook("preAction", (_this, called) => refuseStrangers(group, called.args))
}

/** A word that is no command lands here: the default command takes none. */
function refuseStrangers(group: Command, [word]: readonly string[]): void {
  if (word === undefined) return
  const names = group.commands.map((command) => command.name()).join(", ")
  throw calledWrongly(`millrace ${group.name()} has no command ${safeText(word)}; there are ${names}`)
}

/** Also what the list takes: it needs no name, so its options would be missed. */
export function examples(group: Command, text: string): void {
  const list = group.commands.find((command) => command.name() === LIST)
  group.addHelpText("after", `${list ? optionsOf(list) : ""}\nExamples:\n${text}`)
  for (const command of group.commands) {
    const example = exampleOf(`millrace ${group.name()} ${command.name()}`, text)
    if (example !== undefined) afterMistake(command, example)
  }
}

/** Whoever leaves out what a command needs sees how it is called. */
export const afterMistake = (command: Command, example: string): Command =>
  command.showHelpAfterError(`Example: ${example}`)

/** What stands behind an example, after several blanks, explains it. */
function exampleOf(called: string, text: string): string | undefined {
  const lines = text.replaceAll(/ \\\n\s+/g, " ").split("\n")
  const found = lines.map((line) => line.trim()).find((line) => `${line} `.startsWith(`${called} `))
  return found?.split(/ {2,}/)[0]
}

function optionsOf(command: Command): string {
  const help = command.createHelp()
  const options = help.visibleOptions(command).filter(({ long }) => long !== "--help")
  const lines = options.map(
    (option) => `  ${help.optionTerm(option).padEnd(OPTION_WIDTH)}${help.optionDescription(option)}`,
  )
  return `\nWithout a command it lists, and takes:\n${lines.join("\n")}\n`
}

const OPTION_WIDTH = 26

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.")
  return Number(text)
}

export function positiveWhole(text: string): number {
  const value = wholeNumber(text)
  if (value === 0) throw new InvalidArgumentError("It must be at least 1.")
  return value
}

export function positiveNumber(text: string): number {
  const value = Number(text)
  if (!/^\d/.test(text) || !(value > 0) || !Number.isFinite(value))
    throw new InvalidArgumentError("It must be a number above 0.")
  return value
}

/** `ada:10m`. The key may have colons of its own. */
export const keyAnd =
  <Value>(read: (text: string) => Value) =>
  (text: string): { readonly key: string; readonly value: Value } => {
    const colon = text.lastIndexOf(":")
    if (colon < 1) throw new InvalidArgumentError("It must be a key, a colon and a value.")
    return { key: text.slice(0, colon), value: read(text.slice(colon + 1)) }
  }

/** The words of a choice, before the engine sees them. */
export const oneOf =
  <Choice extends string>(...choices: readonly Choice[]) =>
  (text: string): Choice => {
    const found = choices.find((choice) => choice === text)
    if (!found) throw new InvalidArgumentError(`It must be ${choices.join(", ")}.`)
    return found
  }

/** As a shell takes it for one word. */
export const shellWord = (text: string): string =>
  /^[\w.:/@-]+$/.test(text) ? text : `'${safeText(text).replaceAll("'", "'\\''")}'`

/** In a path. */
export const segment = (text: string): string => encodeURIComponent(text)
