// Failures of standalone jobs: a batch is locked, each is judged and planned by itself, and all are written together.

import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import type { Dead, Retry } from "../../../model/jobs/after-attempt.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { lockStandalone } from "../unpack-jobs.ts"
import { endStandalone, planStandaloneEnd, type StandaloneEnd } from "./end-standalone.ts"
import { isHolder } from "./judge-report.ts"
import type { Failure } from "./report.ts"

export interface StandaloneFailure {
  readonly id: string
  readonly report: Failure
}

type Verdict = "accepted" | "not-holder"

/** What becomes of the job; undefined when the report does not count. */
export async function failHeld(kernel: Kernel, tx: Transaction, report: Failure): Promise<Retry | Dead | undefined> {
  const [row] = await lockStandalone(kernel, tx, [report.jobId])
  if (!row || !isHolder(report, row)) return undefined
  const end = planStandaloneEnd(kernel, row, { ...report, kind: "failed" })
  endStandalone(kernel, tx, [end])
  return end.after
}

async function failBatch(kernel: Kernel, items: readonly StandaloneFailure[]): Promise<readonly Outcome<Verdict>[]> {
  return kernel.db.transaction(async (tx) => {
    await setLockTimeout(tx)
    const ids = [...new Set(items.map(({ id }) => id))]
    const rows = await lockStandalone(kernel, tx, ids)
    const live = new Map(rows.map((row) => [row.instance_id, row]))
    const ends: StandaloneEnd[] = []
    const verdicts = items.map(({ id, report }): Outcome<Verdict> => {
      const row = live.get(id)
      if (!row || !isHolder(report, row)) return { value: "not-holder" }
      live.delete(id)
      ends.push(planStandaloneEnd(kernel, row, { ...report, kind: "failed" }))
      return { value: "accepted" }
    })
    endStandalone(kernel, tx, ends)
    return verdicts
  })
}

export const failures = batched<StandaloneFailure, Verdict>({
  run: failBatch,
  flights: 2,
  keyOf: ({ id }) => id,
})
