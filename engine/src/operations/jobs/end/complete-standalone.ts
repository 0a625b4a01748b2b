// Completions of standalone jobs: a batch is one statement, which compares the tokens, deletes the jobs and writes their history.

import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { lockJobs } from "../../../store/jobs/jobs.ts"
import { type CompletedRow, completeJobs } from "../../../store/jobs/standalone-jobs.ts"
import { EngineError } from "../../../support/errors.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { announceEnds } from "./announce-ends.ts"
import { isHolder } from "./judge-report.ts"
import type { Completion } from "./report.ts"
import { noteSuccesses } from "./standalone-policy.ts"

export interface StandaloneCompletion {
  readonly id: string
  readonly report: Completion
  /** JSON. */
  readonly result: string | null
}

type Verdict = "accepted" | "not-holder"

const ACCEPTED: Outcome<Verdict> = { value: "accepted" }
const NOT_HOLDER: Outcome<Verdict> = { value: "not-holder" }

async function completeBatch(
  kernel: Kernel,
  items: readonly StandaloneCompletion[],
): Promise<readonly Outcome<Verdict>[]> {
  kernel.metrics.batchSize.observe({ operation: "complete" }, items.length)
  const counted = new Set<number>()
  await kernel.db.transaction(async (tx) => {
    completeWithin(tx, items, (rows) => {
      for (const row of rows) counted.add(row.report)
      announce(kernel, rows, items)
    })
  })
  // Of several reports on one job one counts, by its own token; the others are judged by what that one left.
  return items.map((_, at) => (counted.has(at) ? ACCEPTED : NOT_HOLDER))
}

/** Together with what its handler wrote: a report that does not count is thrown, and everything is rolled back. */
export async function completeHeld(kernel: Kernel, tx: Transaction, report: Completion): Promise<void> {
  const id = report.jobId
  const [row] = await lockJobs(tx, [{ kind: "standalone", id }])
  if (!row || !isHolder(report, row)) throw new EngineError("lease-lost", `the lease of job ${id} is lost`)
  const items = [{ id, report, result: report.variables ? JSON.stringify(report.variables) : null }]
  completeWithin(tx, items, () => {})
  tx.afterCommit(() => announce(kernel, [{ ...row, report: 0 }], items))
}

function completeWithin(
  tx: Transaction,
  items: readonly StandaloneCompletion[],
  onRows: (rows: readonly CompletedRow[]) => void,
): void {
  const reports = items.map(({ id, report: { token, workerId }, result }) => ({
    id,
    epoch: token?.epoch ?? null,
    nonce: token?.nonce ?? null,
    workerId,
    result,
  }))
  completeJobs(tx, reports, onRows)
}

function announce(kernel: Kernel, rows: readonly CompletedRow[], items: readonly StandaloneCompletion[]): void {
  const idOf = ({ report }: CompletedRow) => (items[report] as StandaloneCompletion).id
  announceEnds(kernel, rows, { jobs: rows, status: "completed", idOf })
  noteSuccesses(kernel, rows)
}

export const completions = batched<StandaloneCompletion, Verdict>({
  run: completeBatch,
  flights: 2,
  sizeOf: ({ result }) => result?.length ?? 0,
})
