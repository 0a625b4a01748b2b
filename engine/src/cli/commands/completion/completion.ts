// `millrace completion <shell>`: a script that offers the commands, options and choices of this version.
import type { Command } from "commander"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import type { Chooser } from "../../options/choices.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { bashCompletion } from "./bash.ts"
import { type CommandNode, commandTree } from "./command-tree.ts"
import { fishCompletion } from "./fish.ts"
import { zshCompletion } from "./zsh.ts"

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

const isShell = (word: string): word is keyof typeof SHELLS => Object.hasOwn(SHELLS, word)

function readShell(word: string): keyof typeof SHELLS {
  if (isShell(word)) return word
  throw calledWrongly(`there is no completion for ${cellText(word)}: there is one for bash, zsh and fish`)
}

const shellOf: Chooser<keyof typeof SHELLS> = Object.assign(readShell, { choices: Object.keys(SHELLS) })

const EXAMPLES = `
To try it:  source <(millrace completion bash)
            source <(millrace completion zsh)
            millrace completion fish | source
The script says where to put it so that every new shell has it.
`

/** `wholeProgram` has every command: the one that runs has loaded only those it was called for. */
export function addCompletion(program: Command, around: Surroundings, wholeProgram: () => Promise<Command>): void {
  program
    .command("completion")
    .description("Print a script that completes commands and options in bash, zsh or fish.")
    .argument("<shell>", "bash, zsh or fish", shellOf)
    .addHelpText("after", EXAMPLES)
    .action(async (shell: keyof typeof SHELLS) => {
      const nodes: readonly CommandNode[] = commandTree(await wholeProgram())
      around.screen.write(SHELLS[shell](nodes))
    })
}
