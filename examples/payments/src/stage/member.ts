// One process of the example: started, killed without a warning, started again, and ended in order. One that ends by itself is replaced.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { constants, setPriority } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"

export interface Plan {
  readonly name: string
  readonly script: URL
  readonly env: Readonly<Record<string, string>>
  /** It does not say when it is at work: to be there is enough. */
  readonly isSilent?: boolean
  /** It works on what has been accepted already: on a busy machine it stands back for those that accept. */
  readonly isPatient?: boolean
}

const BEFORE_NEXT_MS = 300

export class Member {
  readonly name: string
  readonly #plan: Plan
  #child: ChildProcess | undefined
  #isWanted = false

  constructor(plan: Plan) {
    this.name = plan.name
    this.#plan = plan
  }

  /** Its address, once it is at work. One that cannot begin, because the database is away for example, is begun again. */
  async start(): Promise<string> {
    this.#isWanted = true
    for (;;) {
      const url = await this.#launch()
      if (url !== undefined) return url
      if (!this.#isWanted) throw new Error(`${this.name} was ended while it began`)
      await sleep(BEFORE_NEXT_MS)
    }
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL")
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM")
  }

  async #launch(): Promise<string | undefined> {
    const { script, env, isSilent, isPatient } = this.#plan
    const child = fork(script, { env: { ...process.env, ...env } })
    if (isPatient && child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    this.#child = child
    const ended = once(child, "exit")
    const ready = isSilent ? once(child, "spawn").then(() => [{ url: "" }]) : once(child, "message")
    const [said] = (await Promise.race([ready, ended])) as [unknown]
    if (typeof said !== "object" || said === null) return undefined
    void ended.then(() => this.#replace(child))
    return (said as { url: string }).url
  }

  async #replace(child: ChildProcess): Promise<void> {
    await sleep(BEFORE_NEXT_MS)
    if (this.#isWanted && this.#child === child) await this.start().catch(() => {})
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isWanted = false
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill(signal)
    await ended
  }
}
