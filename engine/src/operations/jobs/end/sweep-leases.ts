// The loop "reaper" takes back leases that ended: an attempt that ran too long has failed, a worker that went silent is lost. The job of
// a step goes the way of all events of its instance, a standalone job that of its reports; `writeEnds` makes both ready again, or dead.

import { planLeaseEnded } from "../../../model/instances/plan-after-job.ts"
import type { LeaseEnd } from "../../../model/jobs/after-attempt.ts"
import { jobKeyOf } from "../../../store/jobs/job-columns.ts"
import { type EndedLeaseRow, listEndedLeases, lockFreeJobs } from "../../../store/jobs/jobs.ts"
import { unpackEnded } from "../../../store/jobs/packs.ts"
import type { ExecutionKey } from "../../../support/ids.ts"
import { type AdvanceItem, advanceEach } from "../../instances/advance.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { ProveTerm } from "../../kernel/loops.ts"
import { mayPass } from "../../kernel/passing-failures.ts"
import { downtimeOf } from "./downtime.ts"
import { endStandalone, planStandaloneEnd } from "./end-standalone.ts"
import { factsOf } from "./report-jobs.ts"

const BATCH = 500
const PACKS = 20
const MARGIN_MS = 10_000
const FULL_SWEEP_EVERY_MS = 60_000

/** Remembers up to when everything is swept, so that dead index entries below it are not read again and again. */
export class LeaseSweeper {
  readonly #kernel: Kernel
  #sweptUntilMs = 0
  #fullSweepAt = 0
  /** So many of the oldest are held by other transactions, and were passed over in this round. */
  #passed = 0

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** From where to look for ended leases: from the beginning when a full sweep is due, or what lies below would never be seen. */
  get sweptUntilMs(): number {
    return this.#kernel.clock.nowMs() >= this.#fullSweepAt ? 0 : this.#sweptUntilMs
  }

  /** True when there may be more. What changed hands since it was listed is left alone; what another transaction holds stays for later. */
  async sweep(proveTerm: ProveTerm): Promise<boolean> {
    const startedAt = this.#kernel.clock.nowMs()
    if (startedAt >= this.#fullSweepAt) {
      this.#sweptUntilMs = 0
      this.#fullSweepAt = startedAt + FULL_SWEEP_EVERY_MS
    }
    // From here on their jobs are rows like any other whose lease is over.
    await unpackEnded(this.#kernel.db, { limit: PACKS })
    const page = { sinceMs: this.#sweptUntilMs, passed: this.#passed, limit: BATCH }
    const expired = await listEndedLeases(this.#kernel.db, page)
    if (expired.length === 0 && this.#passed === 0) this.#sweptUntilMs = startedAt - MARGIN_MS
    const ends = expired.length > 0 && (await endLeases(this.#kernel, expired, proveTerm))
    if (ends) return true
    const isFull = expired.length === BATCH
    this.#passed = isFull ? this.#passed + BATCH : 0
    return isFull
  }
}

/** False when all that is left is held by other transactions. */
async function endLeases(kernel: Kernel, expired: readonly EndedLeaseRow[], proveTerm: ProveTerm): Promise<boolean> {
  const standalone = new Map<string, EndedLeaseRow>()
  const steps: AdvanceItem<SweptAs>[] = []
  for (const listed of expired) {
    const key = jobKeyOf(listed)
    if (key.kind === "standalone") standalone.set(key.id, listed)
    else steps.push(itemOf(kernel, key, listed))
  }
  const heldJobs = standalone.size > 0 ? await endLeasesOfStandalone(kernel, standalone, proveTerm) : 0
  const heldSteps = steps.length > 0 ? await endLeasesOfSteps(kernel, steps, proveTerm) : 0
  return heldJobs + heldSteps < expired.length
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
function leaseEndOf(kernel: Kernel, job: LockedLease | undefined, listed: EndedLeaseRow): LeaseEnd | undefined {
  if (!job?.expired || job.epoch !== listed.epoch) return undefined
  const counts = !downtimeOf(kernel).covers(listed.lease_until)
  return job.overran && counts ? { kind: "timed-out" } : { kind: "lost", counts }
}

type Listed = ReadonlyMap<string, EndedLeaseRow>

/** Returns how many are left: most of them for later, because another transaction holds the job. */
async function endLeasesOfStandalone(kernel: Kernel, listed: Listed, proveTerm: ProveTerm): Promise<number> {
  const keys = [...listed.keys()].map((id) => ({ kind: "standalone", id }) as const)
  return kernel.db.transaction(async (tx) => {
    await proveTerm(tx)
    const rows = await lockFreeJobs(tx, keys)
    const ends = rows.flatMap((row) => {
      const end = leaseEndOf(kernel, row, listed.get(row.instance_id) as EndedLeaseRow)
      return end ? [planStandaloneEnd(kernel, row, end)] : []
    })
    endStandalone(kernel, tx, ends)
    tx.afterCommit(() => kernel.metrics.jobTimeouts.inc(ends.length))
    return keys.length - rows.length
  })
}

type SweptAs = LeaseEnd["kind"] | "taken over"

/** Returns how many are left for later, because another transaction holds their instance. */
async function endLeasesOfSteps(
  kernel: Kernel,
  items: readonly AdvanceItem<SweptAs>[],
  proveTerm: ProveTerm,
): Promise<number> {
  const outcomes = await advanceEach(kernel, items, proveTerm)
  const endedAs = (kind: LeaseEnd["kind"]) =>
    outcomes.filter((outcome) => "value" in outcome && outcome.value === kind).length
  kernel.metrics.jobTimeouts.inc(endedAs("lost") + endedAs("timed-out"))
  kernel.metrics.zombieJobsReaped.inc(endedAs("lost"))
  const errors = outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : []))
  for (const error of errors) if (!mayPass(error)) throw error
  return errors.length
}

const itemOf = (kernel: Kernel, key: ExecutionKey, listed: EndedLeaseRow): AdvanceItem<SweptAs> => ({
  instanceId: key.instanceId,
  execution: key.execution,
  decide: (draft, { job }) => {
    const end = leaseEndOf(kernel, job, listed)
    if (!job || !end) return "taken over"
    planLeaseEnded(draft, factsOf(job), end, { startedAt: listed.claimed_at ?? undefined })
    return end.kind
  },
})
