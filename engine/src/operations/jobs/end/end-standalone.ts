// Ends attempts at standalone jobs that did not succeed: another attempt, or history and a dead letter.

import type { Transaction } from "../../../db/transaction.ts"
import type { AttemptDetail } from "../../../model/instances/plan.ts"
import {
  afterAttempt,
  type Dead,
  namingRetries,
  type Retry,
  type UnsuccessfulEnd,
} from "../../../model/jobs/after-attempt.ts"
import { jobKeyOf } from "../../../store/jobs/job-columns.ts"
import type { LockedJobRow } from "../../../store/jobs/jobs.ts"
import { newDeadLetter } from "../../dead-letters/new-dead-letter.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { announceEnds } from "./announce-ends.ts"
import { leaseOf } from "./judge-report.ts"
import { policyOf } from "./standalone-policy.ts"
import { writeEnds } from "./write-ends.ts"

export interface StandaloneEnd {
  readonly row: LockedJobRow
  readonly after: Retry | Dead
  /** None where the engine ended the attempt. */
  readonly verb: "fail" | null
  readonly detail: AttemptDetail | undefined
}

/** What the worker told of the attempt is kept with it. */
type ToldEnd = UnsuccessfulEnd & { readonly detail?: AttemptDetail | undefined }

export function planStandaloneEnd(kernel: Kernel, row: LockedJobRow, end: ToldEnd): StandaloneEnd {
  const facts = { retriesLeft: row.retries_left, lostLeases: row.lost_leases }
  const after = afterAttempt(facts, end, policyOf(kernel, row))
  return { row, after, verb: end.kind === "failed" ? "fail" : null, detail: end.detail }
}

export function endStandalone(kernel: Kernel, tx: Transaction, ends: readonly StandaloneEnd[]): void {
  if (ends.length === 0) return
  const endedAt = kernel.clock.nowMs()
  writeEnds(kernel, tx, {
    attempts: ends.map(({ row, after, detail }) => ({
      key: jobKeyOf(row),
      lease: leaseOf(row),
      ...after.attempt,
      endedAt,
      detail,
    })),
    requeued: ends.flatMap(({ row, after }) =>
      after.kind === "retry" ? [{ ...after, key: jobKeyOf(row), reason: after.attempt.error }] : [],
    ),
    standalone: ends.flatMap(({ row, after, verb }) =>
      after.kind === "dead" ? [{ id: row.instance_id, verb, endedAt, ...failed(kernel, after) }] : [],
    ),
  })
  tx.afterCommit(() => announce(kernel, ends))
}

const failed = (kernel: Kernel, dead: Dead) => ({
  status: "FAILED" as const,
  error: namingRetries(dead.error, dead.retries),
  dead: newDeadLetter(kernel, dead),
})

function announce(kernel: Kernel, ends: readonly StandaloneEnd[]): void {
  for (const { after } of ends) {
    const isLost = after.attempt.outcome === "lost"
    if (isLost) kernel.metrics.zombieJobsReaped.inc()
    if (after.kind === "dead") continue
    if (!isLost) {
      kernel.metrics.jobsProcessed.inc({ status: "failed" })
      kernel.metrics.jobRetries.inc()
    }
    if (after.delayMs > 0) kernel.nudge("releaser", after.delayMs)
  }
  const dead = ends.flatMap(({ row, after }) => (after.kind === "dead" ? [row] : []))
  announceEnds(
    kernel,
    ends.map(({ row }) => row),
    { jobs: dead, status: "dead", idOf: (row) => row.instance_id },
  )
}
