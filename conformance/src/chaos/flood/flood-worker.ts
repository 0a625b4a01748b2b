// The work of one life: lanes that exchange what is done for what is to do, and what earlier lives owe.
import { setTimeout as sleep } from "node:timers/promises"
import type { wire } from "@millrace/sdk"
import type { Journal } from "../journal.ts"
import type { Random } from "../random.ts"
import { askRest } from "../rest.ts"
import type { Held } from "./lines.ts"
import { CLAIMED_AT_ONCE, JOB_TYPE, LEASE_SECONDS } from "./load.ts"

const LANES = 2
const AGAIN_MS = 100
/** Until the leases of an earlier life have ended, and others have its jobs. */
const OWED_AFTER_MS = 1_000 * LEASE_SECONDS + 2_000

interface Means {
  readonly name: string
  readonly ports: readonly number[]
  readonly journal: Journal
  readonly random: Random
}

interface Batch {
  readonly number: number
  readonly jobs: readonly Held[]
}

export class FloodWorker {
  readonly #means: Means
  readonly #stopping = new AbortController()
  #batches = 0
  #tries = 0

  constructor(means: Means) {
    this.#means = means
    this.#tries = means.random.between(0, 100)
  }

  /** Until it is stopped, and everything has its verdict. */
  async run(owed: readonly (readonly Held[])[]): Promise<void> {
    this.#means.journal.write({ op: "begun", owed })
    this.#batches = owed.length
    await Promise.all([this.#payOwed(owed), ...Array.from({ length: LANES }, () => this.#work())])
  }

  stop(): void {
    this.#stopping.abort()
  }

  async #work(): Promise<void> {
    let held: Batch | undefined
    while (held || !this.#stopping.signal.aborted) {
      const reported: Batch | undefined = held
      held = await this.#exchange(held, !this.#stopping.signal.aborted)
      if (reported && this.#means.random.chance(0.02)) await this.#exchange(reported, false)
    }
  }

  async #payOwed(owed: readonly (readonly Held[])[]): Promise<void> {
    await sleep(OWED_AFTER_MS, undefined, { signal: this.#stopping.signal }).catch(() => {})
    for (const [at, jobs] of owed.entries()) await this.#exchange({ number: at + 1, jobs }, false)
  }

  /** The report is sent until it is answered; what is claimed with an answer that is lost comes back when its lease ends. */
  async #exchange(reported: Batch | undefined, isClaiming: boolean): Promise<Batch | undefined> {
    for (;;) {
      const askedAt = Date.now()
      const answer = await this.#ask(reported, isClaiming)
      if (answer) return answer.jobs.length > 0 ? this.#take(answer.jobs, askedAt) : undefined
      await sleep(AGAIN_MS)
      if (!reported && this.#stopping.signal.aborted) return undefined
    }
  }

  async #ask(reported: Batch | undefined, isClaiming: boolean): Promise<wire.ExchangeResult | undefined> {
    const { name, ports, journal } = this.#means
    if (reported) journal.write({ op: "reports", batch: reported.number, at: Date.now() })
    const body = {
      workerId: name,
      ...(reported ? { completed: reported.jobs.map(completionOf) } : {}),
      ...(isClaiming ? { poll: POLL } : {}),
    }
    const request = { method: "POST", path: "/v1/jobs/exchange", body } as const
    const port = ports[this.#tries++ % ports.length]
    const answer = await askRest(port, request, (result: wire.ExchangeResult) => result).catch((error: unknown) => {
      journal.sync({ op: "bug", what: "exchange", error: String(error) })
    })
    if (reported && answer?.is === "unknown" && answer.isUnsent)
      journal.write({ op: "unreported", batch: reported.number })
    if (answer?.is !== "ok") return undefined
    const verdicts = (answer.value.results ?? []).map(({ outcome }) => outcome.charAt(0)).join("")
    if (reported) journal.write({ op: "told", batch: reported.number, at: Date.now(), verdicts })
    return answer.value
  }

  /** Working on a job is to write down that it was done. */
  #take(claimed: readonly wire.Job[], askedAt: number): Batch {
    const number = ++this.#batches
    const jobs = claimed.map((job): Held => [job.variables.n as number, job.id, job.leaseToken])
    const until = Math.min(...claimed.map(({ lockExpiresAt }) => Date.parse(lockExpiresAt)))
    this.#means.journal.write({ op: "done", batch: number, askedAt, at: Date.now(), until, jobs })
    return { number, jobs }
  }
}

const POLL = { jobTypes: [JOB_TYPE], maxJobs: CLAIMED_AT_ONCE, leaseSeconds: LEASE_SECONDS, waitSeconds: 1 }

/** Its result says which delivery it was. */
const completionOf = ([, jobId, leaseToken]: Held) => ({ jobId, leaseToken, variables: { token: leaseToken } })
