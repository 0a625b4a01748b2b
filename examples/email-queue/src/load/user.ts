// One user: acts, waits as its class does, and acts again, until the load is over.
import { setTimeout as sleep } from "node:timers/promises"
import { type EngineClient, MillraceError } from "@millrace/sdk"
import { type Act, type LoadClass, pick } from "./classes.ts"
import type { Tally } from "./tally.ts"

export class User {
  readonly #client: EngineClient
  readonly #class: LoadClass
  readonly #tally: Tally
  #lastJob: string | undefined

  constructor(client: EngineClient, loadClass: LoadClass, tally: Tally) {
    this.#client = client
    this.#class = loadClass
    this.#tally = tally
  }

  async act(signal: AbortSignal): Promise<void> {
    const { least, most } = this.#class.pause
    while (!signal.aborted) {
      await this.#once()
      await sleep(least + (most - least) * Math.random(), undefined, { signal }).catch(() => {})
    }
  }

  async #once(): Promise<void> {
    const act = pick(this.#class.acts, Math.random())
    const startedAt = performance.now()
    const status = await this.#do(act).catch((error) => {
      if (error instanceof MillraceError) return error.status
      throw error
    })
    this.#tally.add({ act, status, tookMs: performance.now() - startedAt })
  }

  /** A user who is refused is told, and comes back by itself: nothing is repeated here. */
  async #do(act: Act): Promise<number> {
    const options = { maxAttempts: 1 }
    if (act === "metrics") await this.#client.queues.metrics(options)
    else if (act === "poll" && this.#lastJob) await this.#client.getJob(this.#lastJob, options)
    else {
      const priority = pick(this.#class.priorities, Math.random())
      const job = await this.#client.enqueue("send_email", { to: "load@example.org" }, { ...options, priority })
      this.#lastJob = job.id
      return 202
    }
    return 200
  }
}
