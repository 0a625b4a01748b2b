// Asks for a password: on a terminal twice and without showing it, or once from a pipe that was announced. Never an argument, which
// every process of the machine could read.
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { CommandError, calledWrongly } from "../command-error.ts"
import type { Surroundings } from "./surroundings.ts"

export async function readPassword(around: Surroundings, fromStdin: boolean | undefined): Promise<string> {
  const { input, terminal } = around
  if (!fromStdin && !(input.isTTY && terminal.isTTY))
    throw calledWrongly("this is not a terminal: pipe the password in, with --password-stdin")
  const line = linesOf(input, !fromStdin)
  try {
    if (fromStdin) return given(await line())
    terminal.write("Password (at least 12 characters): ")
    const password = given(await line())
    terminal.write("\nThe same again: ")
    const again = await line()
    terminal.write("\n")
    if (again !== password) throw new CommandError("the two are not the same: nothing was changed")
    return password
  } finally {
    line.close()
  }
}

function given(password: string | undefined): string {
  if (password) return password
  throw new CommandError("no password was given: nothing was changed")
}

/** Takes what readline would show while a person types. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** One line after the other; undefined at the end of the input and after Ctrl-C. */
function linesOf(input: Surroundings["input"], isTyped: boolean) {
  const reader = createInterface({ input, output: nowhere(), terminal: isTyped })
  const lines: (string | undefined)[] = []
  let waiting: ((line: string | undefined) => void) | undefined
  const take = (line: string | undefined) => {
    if (waiting) waiting(line)
    else lines.push(line)
    waiting = undefined
  }
  reader.on("line", take).on("SIGINT", () => reader.close())
  reader.once("close", () => take(undefined))
  const next = () =>
    lines.length > 0
      ? Promise.resolve(lines.shift())
      : new Promise<string | undefined>((resolve) => {
          waiting = resolve
        })
  return Object.assign(next, { close: () => reader.close() })
}
