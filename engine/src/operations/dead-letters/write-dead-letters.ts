// Writes dead letters of workflow steps: the job by which an instance failed, in the transaction that fails it.
import type { Transaction } from "../../db/transaction.ts"
import { insertDeadSteps, type NewDeadStep } from "../../store/dead-letters/dead-letters.ts"
import { fingerprint } from "../../support/fingerprint.ts"
import type { PlannedInstance } from "../instances/apply-plans.ts"
import type { Kernel } from "../kernel/kernel.ts"

/** Before the jobs are written: the entry takes after the job's row, which is deleted then. */
export function writeDeadLetters(kernel: Kernel, tx: Transaction, all: readonly PlannedInstance[]): void {
  const rows: NewDeadStep[] = []
  for (const { id, plan, nowMs } of all) {
    if (!plan.deadJob) continue
    const failure = fingerprint(plan.deadJob.error)
    rows.push({ ...plan.deadJob, id: kernel.newId(), instanceId: id, failure, deadAt: nowMs })
  }
  if (rows.length > 0) insertDeadSteps(tx, rows)
}
