// One program of a language, told what to do over its standard input; `control-protocol.md` is what both keep to.
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { Writable } from "node:stream"
import { Refusal } from "./refusal.ts"

interface Waiting {
  readonly resolve: (ok: unknown) => void
  readonly reject: (error: Error) => void
}

interface Answer {
  readonly id: number
  readonly ok?: unknown
  readonly error?: { readonly code: string; readonly message?: string; readonly retryable?: boolean }
}

export interface Launch {
  readonly command: readonly [string, ...string[]]
  /** Where its standard error goes. */
  readonly log: Writable
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
}

const KILL_AFTER_MS = 60_000

export class Program {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, Waiting>()
  /** What it ended with, in words; `exit code 0` when all is well. */
  readonly ended: Promise<string>
  #calls = 0
  #over: string | undefined

  constructor({ command: [file, ...args], log, env }: Launch) {
    this.#child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } })
    this.#child.stderr?.pipe(log, { end: false })
    // The pipe of a program that was killed breaks; that it ended says so already.
    this.#child.stdin?.on("error", () => {})
    this.ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(error.message))
      this.#child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    void this.ended.then((how) => this.#giveUp(how))
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#hear(line))
  }

  /** Sends a command; rejects with a `Refusal` when it is refused. */
  call(command: string, args: object = {}): Promise<unknown> {
    const id = ++this.#calls
    return new Promise((resolve, reject) => {
      if (this.#over) return reject(new Error(`the program ended: ${this.#over}`))
      this.#waiting.set(id, { resolve, reject })
      this.#child.stdin?.write(`${JSON.stringify({ id, do: command, with: args })}\n`)
    })
  }

  /** Lets it drain and end; what it ended with. */
  async end(): Promise<string> {
    this.#child.stdin?.end()
    const timer = setTimeout(() => this.kill(), KILL_AFTER_MS)
    const how = await this.ended
    clearTimeout(timer)
    return how
  }

  kill(): void {
    this.#child.kill("SIGKILL")
  }

  #hear(line: string): void {
    const { id, ok, error } = parse(line) ?? { id: 0 }
    if (id === 0) {
      this.#giveUp(`it wrote what is no answer: ${line.slice(0, 200)}`)
      return this.kill()
    }
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new Refusal(error))
    else waiting?.resolve(ok)
  }

  #giveUp(how: string): void {
    this.#over ??= how
    for (const { reject } of this.#waiting.values()) reject(new Error(`the program ended: ${how}`))
    this.#waiting.clear()
  }
}

function parse(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer
  } catch {
    return undefined
  }
}
