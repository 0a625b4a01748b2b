// The conformance program of TypeScript: does what it is told on standard input, as conformance/control-protocol.md has it.
import { createInterface } from "node:readline"
import { ClientCommands } from "./client-commands.ts"
import { errorAnswer } from "./error-answer.ts"
import { WorkerCommands } from "./worker-commands.ts"

interface Command {
  readonly id: unknown
  readonly do: string
  readonly with?: Readonly<Record<string, unknown>>
}

const client = new ClientCommands()
const worker = new WorkerCommands(() => client.engine)

const answer = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

async function obey(command: Command): Promise<unknown> {
  const arguments_ = command.with ?? {}
  const known = worker.find(command.do) ?? client.find(command.do)
  if (!known) throw new TypeError(`this program has no command "${command.do}"`)
  return known(arguments_ as never)
}

async function serve(command: Command): Promise<void> {
  try {
    answer({ id: command.id, ok: (await obey(command)) ?? null })
  } catch (error) {
    answer({ id: command.id, error: errorAnswer(error) })
  }
}

/** The writes to a pipe are over before the process is. */
async function end(): Promise<void> {
  const { drained } = await worker.stop({})
  client.close()
  process.exit(drained ? 0 : 1)
}

function read(line: string): Command {
  try {
    return JSON.parse(line) as Command
  } catch {
    console.error(`not JSON: ${line}`)
    process.exit(2)
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => void serve(read(line)))
  .on("close", () => void end())
process.once("SIGTERM", () => void end())
