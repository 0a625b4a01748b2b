// Writes what becomes of standalone jobs whose attempt did not succeed: another try, or history and a dead letter.

import type { Transaction } from "../../../db/transaction.ts"
import type { AfterFailure } from "../../../model/jobs/standalone-job.ts"
import {
  endJobs,
  insertStandaloneAttempts,
  type LockedStandaloneRow,
  requeueStandalone,
} from "../../../store/jobs/standalone-jobs.ts"
import { fingerprint } from "../../../support/fingerprint.ts"
import { dispatchOf } from "../../flow/dispatch.ts"
import { refillLimits } from "../../flow/fill-limits.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { METER_MS } from "../../kernel/loops.ts"
import { wakeupsOf } from "../claim/wakeups.ts"

export interface PlannedEnd {
  readonly row: LockedStandaloneRow
  readonly after: AfterFailure
  /** How the attempt ended; the verb where a report has ended it. */
  readonly how: {
    readonly outcome: "failed" | "timed-out" | "lost"
    readonly error: string
    readonly verb: "fail" | null
  }
}

export function writeEnds(kernel: Kernel, tx: Transaction, ends: readonly PlannedEnd[]): void {
  if (ends.length === 0) return
  const endedAt = kernel.clock.nowMs()
  insertStandaloneAttempts(
    tx,
    ends.map(({ row, how }) => ({
      id: row.instance_id,
      epoch: row.epoch,
      outcome: how.outcome,
      nonce: row.nonce,
      workerId: row.worker_id,
      error: how.error,
      endedAt,
    })),
  )
  writeRetries(kernel, tx, ends)
  writeDead(kernel, tx, ends, endedAt)
  tx.afterCommit(() => announce(kernel, ends))
}

function writeRetries(kernel: Kernel, tx: Transaction, ends: readonly PlannedEnd[]): void {
  const retried = ends.flatMap(({ row, after, how }) =>
    after.kind === "retry"
      ? [{ ...after, id: row.instance_id, keepsToken: how.outcome === "lost", reason: how.error }]
      : [],
  )
  if (retried.length > 0) requeueStandalone(tx, retried, (ids) => wakeupsOf(kernel).wake(queuesOf(kernel).known(ids)))
}

function writeDead(kernel: Kernel, tx: Transaction, ends: readonly PlannedEnd[], endedAt: number): void {
  const dead = ends.flatMap(({ row, after, how }) => {
    if (after.kind !== "dead") return []
    const { reason, error } = after
    const letter = { id: kernel.newId(), reason, failure: fingerprint(how.error) }
    return [{ id: row.instance_id, status: "FAILED" as const, error, dead: letter, verb: how.verb, endedAt }]
  })
  if (dead.length > 0) endJobs(tx, dead, () => {})
}

function announce(kernel: Kernel, ends: readonly PlannedEnd[]): void {
  for (const { after, how } of ends) {
    if (how.outcome === "lost") kernel.metrics.zombieJobsReaped.inc()
    if (after.kind === "dead") kernel.metrics.jobsProcessed.inc({ status: "dead" })
    else if (how.outcome !== "lost") kernel.metrics.jobsProcessed.inc({ status: "failed" })
    if (after.kind === "retry" && how.outcome !== "lost") kernel.metrics.jobRetries.inc()
    if (after.kind === "retry" && after.delayMs > 0) kernel.nudge("releaser", after.delayMs)
  }
  kernel.nudge("meter", METER_MS)
  const freed = ends.filter(({ row }) => row.downstream !== null)
  dispatchOf(kernel).freed(freed.map(({ row }) => row.queue_id))
  refillLimits(
    kernel,
    ends.map(({ row }) => row.limit_key),
  )
}
