// Runs a command line in this process, with a terminal that keeps what it was shown.
import { EventEmitter } from "node:events"
import { Readable } from "node:stream"
import { CommanderError } from "commander"
import { CommandError } from "../command-error.ts"
import { createProgram } from "../program.ts"
import type { Surroundings } from "../terminal/surroundings.ts"

export interface Terminal {
  readonly env?: Record<string, string>
  /** The width of the terminal. Without it all streams are pipes. */
  readonly columns?: number
  /** What is typed. */
  readonly input?: string
  /** Before what was written last reaches the screen; for what happens while a command runs. */
  readonly onWrite?: (text: string, signals: EventEmitter) => void
  readonly elapsedMs?: () => number
  readonly signals?: EventEmitter
}

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export async function runCommand(argv: readonly string[], terminal: Terminal = {}): Promise<Ran> {
  const said = { out: "", err: "" }
  const around = surroundings(terminal, said)
  try {
    const program = await createProgram(around, argv)
    await program.parseAsync([...argv], { from: "user" })
    return { code: 0, ...said }
  } catch (error) {
    if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, ...said }
    if (error instanceof CommandError) return { code: error.exitCode, out: said.out, err: said.err + error.message }
    throw error
  }
}

function surroundings(terminal: Terminal, said: { out: string; err: string }): Surroundings {
  const { env = {}, columns, input = "", onWrite = () => {}, signals = new EventEmitter() } = terminal
  const isTTY = columns !== undefined
  const screen = (stream: "out" | "err") => ({
    isTTY,
    rows: 24,
    ...(columns === undefined ? {} : { columns }),
    write(text: string) {
      said[stream] += text
      onWrite(text, signals)
    },
  })
  const out = screen("out")
  return {
    version: "0.0.0",
    env,
    print: (text) => out.write(`${text}\n`),
    screen: out,
    terminal: screen("err"),
    input: Object.assign(Readable.from([input]), { isTTY }),
    force: () => {},
    signals,
    redrawMs: 1,
    elapsedMs: terminal.elapsedMs ?? (() => 0),
  }
}
