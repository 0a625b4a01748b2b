// What the groups of operator commands share: a list that needs no name, examples, and words that are no command.
import type { Command } from "commander"
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

/** Shows the options of the list too: it runs without a name, so the help of the group is where they are looked for. */
export function examples(group: Command, text: string): void {
  const list = group.commands.find((command) => command.name() === LIST)
  group.addHelpText("after", `${list ? optionsOf(list) : ""}\nExamples:\n${text}`)
  for (const command of group.commands) {
    const example = exampleOf(`millrace ${group.name()} ${command.name()}`, text)
    if (example !== undefined) afterMistake(command, example)
  }
}

/** A call that leaves out what the command needs is answered with an example. */
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
  const width = Math.max(OPTION_WIDTH, ...options.map((option) => help.optionTerm(option).length))
  const lines = options.map((option) =>
    help.formatItem(help.optionTerm(option), width, help.optionDescription(option), help),
  )
  return `\nWithout a command it runs \`list\`, which takes:\n${lines.join("\n")}\n`
}

const OPTION_WIDTH = 24
