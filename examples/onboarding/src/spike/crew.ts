// The crew: a constant number of worker processes. A process that is lost, by our hand or by yours, is replaced.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const WORKER = fileURLToPath(new URL("../worker.js", import.meta.url))
const AFTER_CRASH_MS = 1_000

export class Crew {
  /** Seconds since the epoch. */
  readonly lostAt: number[] = []
  readonly #env: Record<string, string>
  readonly #workers = new Set<ChildProcess>()
  #killer: NodeJS.Timeout | undefined
  #onReplaced: () => void = () => {}
  #stopping = false

  private constructor(env: Record<string, string>) {
    this.#env = { ...process.env, ...env } as Record<string, string>
  }

  /** All of them are at work when this resolves. */
  static async hire(count: number, env: Record<string, string>): Promise<Crew> {
    const crew = new Crew(env)
    await Promise.all(Array.from({ length: count }, () => crew.#hireOne()))
    return crew
  }

  get pids(): readonly (number | undefined)[] {
    return [...this.#workers].map(({ pid }) => pid)
  }

  async #hireOne(): Promise<void> {
    const worker = fork(WORKER, { env: this.#env })
    this.#workers.add(worker)
    const replaced = once(worker, "exit").then(([, signal]) => this.#replace(worker, signal))
    await Promise.race([once(worker, "message"), replaced])
  }

  async #replace(worker: ChildProcess, signal: string | null): Promise<void> {
    this.#workers.delete(worker)
    if (this.#stopping) return
    this.lostAt.push(Date.now() / 1000)
    if (signal === null) await sleep(AFTER_CRASH_MS)
    await this.#hireOne()
    this.#onReplaced()
  }

  /** The one that has worked longest, again and again, without a warning; the crew is whole for so long before each. */
  killEvery(ms: number): void {
    const kill = async () => {
      const [victim] = this.#workers
      const isReplaced = new Promise<void>((resolve) => (this.#onReplaced = resolve))
      victim?.kill("SIGKILL")
      await isReplaced
      if (this.#killer) this.killEvery(ms)
    }
    if (ms > 0) this.#killer = setTimeout(kill, ms)
  }

  spare(): void {
    clearTimeout(this.#killer)
    this.#killer = undefined
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.spare()
    const ends = [...this.#workers].map((worker) => once(worker, "exit"))
    for (const worker of this.#workers) worker.kill("SIGTERM")
    await Promise.all(ends)
  }
}
