// Ends attempts at standalone jobs that did not succeed: another attempt, or history and a dead letter.

import type { Transaction } from "../../../db/transaction.ts"
import {
  afterAttempt,
  type Dead,
  namingRetries,
  type Retry,
  type UnsuccessfulEnd,
} from "../../../model/jobs/after-attempt.ts"
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
import { policyOf } from "./standalone-policy.ts"

export interface StandaloneEnd {
  readonly row: LockedStandaloneRow
  readonly after: Retry | Dead
  /** None where the engine ended the attempt. */
  readonly verb: "fail" | null
}

export function planStandaloneEnd(kernel: Kernel, row: LockedStandaloneRow, end: UnsuccessfulEnd): StandaloneEnd {
  const facts = { retriesLeft: row.retries_left, lostLeases: row.lost_leases }
  const after = afterAttempt(facts, end, policyOf(kernel, row))
  return { row, after, verb: end.kind === "failed" ? "fail" : null }
}

export function endStandalone(kernel: Kernel, tx: Transaction, ends: readonly StandaloneEnd[]): void {
  if (ends.length === 0) return
  const endedAt = kernel.clock.nowMs()
  insertStandaloneAttempts(
    tx,
    ends.map(({ row, after: { attempt } }) => ({
      id: row.instance_id,
      epoch: row.epoch,
      nonce: row.nonce,
      workerId: row.worker_id,
      outcome: attempt.outcome,
      error: attempt.error,
      endedAt,
    })),
  )
  writeRetries(kernel, tx, ends)
  writeDead(kernel, tx, ends, endedAt)
  tx.afterCommit(() => announce(kernel, ends))
}

function writeRetries(kernel: Kernel, tx: Transaction, ends: readonly StandaloneEnd[]): void {
  const retried = ends.flatMap(({ row, after }) =>
    after.kind === "retry" ? [{ ...after, id: row.instance_id, reason: after.attempt.error }] : [],
  )
  if (retried.length > 0) requeueStandalone(tx, retried, (ids) => wakeupsOf(kernel).wake(queuesOf(kernel).known(ids)))
}

function writeDead(kernel: Kernel, tx: Transaction, ends: readonly StandaloneEnd[], endedAt: number): void {
  const dead = ends.flatMap(({ row, after, verb }) => {
    if (after.kind !== "dead") return []
    const letter = { id: kernel.newId(), reason: after.reason, failure: fingerprint(after.error) }
    const error = namingRetries(after.error, after.retries)
    return [{ id: row.instance_id, status: "FAILED" as const, error, dead: letter, verb, endedAt }]
  })
  if (dead.length > 0) endJobs(tx, dead, () => {})
}

function announce(kernel: Kernel, ends: readonly StandaloneEnd[]): void {
  for (const { after } of ends) {
    const isLost = after.attempt.outcome === "lost"
    if (isLost) kernel.metrics.zombieJobsReaped.inc()
    if (after.kind === "dead") kernel.metrics.jobsProcessed.inc({ status: "dead" })
    else if (!isLost) kernel.metrics.jobsProcessed.inc({ status: "failed" })
    if (after.kind === "retry" && !isLost) kernel.metrics.jobRetries.inc()
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
