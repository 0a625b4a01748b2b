// A yes/no question before something that is hard to take back; without a terminal `--yes` must answer it.
import { createInterface } from "node:readline"
import { calledWrongly } from "../command-error.ts"
import type { Surroundings } from "./surroundings.ts"

/** False is a no. Only a clear yes counts. */
export async function confirm(around: Surroundings, question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes) return true
  const { input, terminal } = around
  if (!input.isTTY || !terminal.isTTY) throw calledWrongly(`${question} This is not a terminal: answer with --yes`)
  terminal.write(`${question} [y/N] `)
  return /^y(es)?$/i.test((await lineOf(input)).trim())
}

/** The end of the input is a no, and so is Ctrl-C: it ends the process. */
function lineOf(input: Surroundings["input"]): Promise<string> {
  const lines = createInterface({ input })
  return new Promise((resolve) => {
    lines.once("close", () => resolve(""))
    lines.once("line", (line) => {
      resolve(line)
      lines.close()
    })
  })
}
