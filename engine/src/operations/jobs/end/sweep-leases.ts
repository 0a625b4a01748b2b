// Takes back leases that ended: an attempt that ran too long has failed, a worker that went silent is lost.

import { planLeaseEnded } from "../../../model/instances/plan-after-job.ts"
import type { LeaseEnd } from "../../../model/jobs/after-attempt.ts"
import { type ExpiredRow, listExpired } from "../../../store/jobs/jobs.ts"
import { lockStandalone } from "../../../store/jobs/standalone-jobs.ts"
import { type AdvanceItem, advanceEach } from "../../instances/advance.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { Guard } from "../../kernel/loops.ts"
import { downtimeOf } from "./downtime.ts"
import { endStandalone, planStandaloneEnd } from "./end-standalone.ts"
import { factsOf } from "./report-jobs.ts"

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
  if (standalone.length > 0) await endLeasesOfStandalone(kernel, standalone, guard)
  const steps = expired.filter((row) => row.execution > 0)
  if (steps.length > 0) await endLeasesOfSteps(kernel, steps, guard)
}

interface LockedLease {
  readonly epoch: number
  readonly expired: boolean
  readonly overran: boolean
}

/**
 * How the lease ended, by the job's row under lock; undefined where it has changed hands or was extended since it was listed.
 * While the engine could take no report, neither silence nor time is held against a worker.
 */
function leaseEndOf(kernel: Kernel, job: LockedLease | undefined, listed: ExpiredRow): LeaseEnd | undefined {
  if (!job?.expired || job.epoch !== listed.epoch) return undefined
  const counts = !downtimeOf(kernel).covers(listed.lease_until)
  return job.overran && counts ? { kind: "timed-out" } : { kind: "lost", counts }
}

async function endLeasesOfStandalone(kernel: Kernel, expired: readonly ExpiredRow[], guard: Guard): Promise<void> {
  const listed = new Map(expired.map((row) => [row.instance_id, row]))
  await kernel.db.transaction(async (tx) => {
    await guard(tx)
    const rows = await lockStandalone(tx, [...listed.keys()].sort())
    const ends = rows.flatMap((row) => {
      const end = leaseEndOf(kernel, row, listed.get(row.instance_id) as ExpiredRow)
      return end ? [planStandaloneEnd(kernel, row, end)] : []
    })
    endStandalone(kernel, tx, ends)
  })
}

async function endLeasesOfSteps(kernel: Kernel, expired: readonly ExpiredRow[], guard: Guard): Promise<void> {
  const items = expired.map((row) => itemOf(kernel, row))
  const outcomes = await advanceEach(kernel, items, guard)
  for (const outcome of outcomes) if ("error" in outcome) throw outcome.error
  const lost = outcomes.filter((outcome) => "value" in outcome && outcome.value === "lost")
  kernel.metrics.zombieJobsReaped.inc(lost.length)
}

const itemOf = (kernel: Kernel, listed: ExpiredRow): AdvanceItem<LeaseEnd["kind"] | "taken over"> => ({
  instanceId: listed.instance_id,
  execution: listed.execution,
  decide: (draft, { job }) => {
    const end = leaseEndOf(kernel, job, listed)
    if (!job || !end) return "taken over"
    planLeaseEnded(draft, factsOf(job), end)
    return end.kind
  },
})
