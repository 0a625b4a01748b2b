// Takes back leases that ended: an attempt that ran too long has failed, a worker that went silent is lost.

import type { Draft } from "../../../model/instances/draft.ts"
import { planJobFailed, planLeaseLost } from "../../../model/instances/plan-after-job.ts"
import { type ExpiredRow, type LockedJobRow, listExpired } from "../../../store/jobs/jobs.ts"
import { type AdvanceItem, advanceEach } from "../../instances/advance.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Guard } from "../../kernel/loops.ts"
import { downtimeOf } from "./downtime.ts"
import { factsOf } from "./report-jobs.ts"
import { endStandaloneLeases } from "./report-standalone.ts"

const BATCH = 500
const MARGIN_MS = 10_000
const FULL_SWEEP_EVERY_MS = 60_000

/** Remembers up to when everything is swept, so that dead index entries below it are not read again and again. */
export class LeaseSweeper {
  readonly #kernel: Kernel
  #sweptUntilMs = 0
  #fullSweepAt = 0

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** From where to look for ended leases: from the beginning when a full sweep is due, or what lies below would never be seen. */
  get sweptUntilMs(): number {
    return this.#kernel.clock.nowMs() >= this.#fullSweepAt ? 0 : this.#sweptUntilMs
  }

  /** True when there may be more. What changed hands since it was listed is left alone. */
  async sweep(guard: Guard): Promise<boolean> {
    const startedAt = this.#kernel.clock.nowMs()
    if (startedAt >= this.#fullSweepAt) {
      this.#sweptUntilMs = 0
      this.#fullSweepAt = startedAt + FULL_SWEEP_EVERY_MS
    }
    const expired = await listExpired(this.#kernel.db, this.#sweptUntilMs, BATCH)
    if (expired.length > 0) await endLeases(this.#kernel, expired, guard)
    else this.#sweptUntilMs = startedAt - MARGIN_MS
    return expired.length > 0
  }
}

async function endLeases(kernel: Kernel, expired: readonly ExpiredRow[], guard: Guard): Promise<void> {
  kernel.metrics.jobTimeouts.inc(expired.length)
  const standalone = expired.filter((row) => row.execution === 0)
  if (standalone.length > 0) await endStandaloneLeases(kernel, standalone, guard)
  const steps = expired.filter((row) => row.execution > 0)
  if (steps.length === 0) return
  const outcomes = await advanceEach(
    kernel,
    steps.map((row) => toItem(kernel, row)),
    guard,
  )
  for (const outcome of outcomes) if ("error" in outcome) throw outcome.error
  kernel.metrics.zombieJobsReaped.inc(
    outcomes.filter((outcome) => "value" in outcome && outcome.value === "lost").length,
  )
}

const toItem = (kernel: Kernel, { instance_id, execution, epoch, lease_until }: ExpiredRow): AdvanceItem<LeaseEnd> => ({
  instanceId: instance_id,
  execution,
  decide: (draft, { job }) => {
    if (!job?.expired || job.epoch !== epoch) return "taken over"
    return endAttempt(draft, job, !downtimeOf(kernel).covers(lease_until))
  },
})

type LeaseEnd = "lost" | "timed out" | "taken over"

/** A lease that ended while nobody could take a heartbeat does not count as lost (D-32). */
function endAttempt(draft: Draft, job: LockedJobRow, counts: boolean): LeaseEnd {
  if (!job.overran || !counts) {
    planLeaseLost(draft, factsOf(job), counts)
    return "lost"
  }
  const message = "timeout.run: the attempt ran too long"
  planJobFailed(draft, factsOf(job), { message, retryable: true, outcome: "timed-out" }, "engine")
  return "timed out"
}
