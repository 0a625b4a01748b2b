// Pushes ready jobs to Kafka. Only the leader does. It claims a batch, publishes it outside of any transaction, and writes down where
// the messages are. After a crash in between, what has no place yet is published again under the same dedup ids.
import { KAFKA_WORKER } from "../../../model/jobs/reports.ts"
import { listUnpublished } from "../../../store/jobs/dispatches.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { perKernel } from "../../kernel/kernel.ts"
import type { ProveTerm } from "../../kernel/loops.ts"
import { wakeupsOf } from "../claim/wakeups.ts"
import { claimDispatches } from "./claim-dispatches.ts"
import { dispatchingOf } from "./dispatching.ts"
import { dropEnded, restoreDispatches } from "./left-dispatches.ts"
import { publishDispatches } from "./publish-dispatches.ts"

/** As often as the pulse asks for it, and not with each batch: what this process has left it knows. */
const LOOK_EVERY_MS = 1_000
const LONGEST_PAUSE_MS = 30_000
const WAIT_MS = 60_000

class JobRelay {
  readonly #kernel: Kernel
  /** Types with messages that were not acknowledged: nothing overtakes them. */
  #stuck: ReadonlySet<string> = new Set()
  #failures = 0
  #lookAtMs = 0
  #waiting: AbortController | undefined

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** True when there may be more to do at once. */
  async round(proveTerm: ProveTerm): Promise<boolean> {
    const options = dispatchingOf(this.#kernel).options
    if (!options) return false
    await dispatchingOf(this.#kernel).keepFresh()
    if (performance.now() >= this.#lookAtMs) await this.#publishLeft(proveTerm, options.batchMax)
    const seen = wakeupsOf(this.#kernel).seen()
    const jobTypes = [...dispatchingOf(this.#kernel).types].filter((jobType) => !this.#stuck.has(jobType))
    const claimed = await claimDispatches(this.#kernel, proveTerm, { jobTypes, count: options.batchMax, seen })
    if (claimed.length === 0) this.#waitForWork(jobTypes, seen)
    else this.#settle([...this.#stuck, ...(await publishDispatches(this.#kernel, proveTerm, claimed))])
    return claimed.length > 0
  }

  stop(): void {
    this.#waiting?.abort()
  }

  /** What a leader before, or a broker that was away, has left without a place. */
  async #publishLeft(proveTerm: ProveTerm, batchMax: number): Promise<void> {
    this.#lookAtMs = performance.now() + LOOK_EVERY_MS
    const rows = await listUnpublished(this.#kernel.db, batchMax)
    await dropEnded(this.#kernel, proveTerm, rows)
    const stuck = await publishDispatches(this.#kernel, proveTerm, restoreDispatches(this.#kernel, rows))
    // Where the page was full there may be more rows, also of the types that were stuck before: those stay stuck.
    const isMore = rows.length === batchMax
    this.#settle(isMore ? [...this.#stuck, ...stuck] : stuck)
    if (isMore && stuck.size === 0) this.#lookAtMs = 0
  }

  #settle(stuck: Iterable<string>): void {
    this.#stuck = new Set(stuck)
    this.#failures = this.#stuck.size > 0 ? this.#failures + 1 : 0
    if (this.#failures === 0) return
    const pauseMs = Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(this.#failures, 10))
    this.#lookAtMs = performance.now() + pauseMs
    this.#kernel.nudge("dispatcher", pauseMs)
  }

  /** As a poll that waits is woken, and by the same. */
  #waitForWork(jobTypes: readonly string[], seen: number): void {
    this.#waiting?.abort()
    const waiting = new AbortController()
    this.#waiting = waiting
    const claim = { workerId: KAFKA_WORKER, jobTypes, maxJobs: 0, onlyLooks: true }
    void wakeupsOf(this.#kernel)
      .wait(claim, seen, WAIT_MS, waiting.signal)
      .then(() => {
        if (!waiting.signal.aborted) this.#kernel.nudge("dispatcher", 0)
      })
  }
}

export const jobRelayOf = perKernel((kernel) => new JobRelay(kernel))
