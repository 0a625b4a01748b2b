// Completions of standalone jobs: a batch is one statement for rows and one for packs, which compare the tokens, delete the jobs and write
// their history.

import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { type CompletedRow, completeJobs } from "../../../store/jobs/standalone-jobs.ts"
import { EngineError } from "../../../support/errors.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { lockStandalone, unpackJobs } from "../unpack-jobs.ts"
import { announceEnds } from "./announce-ends.ts"
import { completePacked, partOf, type StandaloneCompletion } from "./complete-packed.ts"
import { isHolder } from "./judge-report.ts"
import type { Completion } from "./report.ts"
import { noteSuccesses } from "./standalone-policy.ts"

export type { StandaloneCompletion } from "./complete-packed.ts"

type Verdict = "accepted" | "not-holder"

const ACCEPTED: Outcome<Verdict> = { value: "accepted" }
const NOT_HOLDER: Outcome<Verdict> = { value: "not-holder" }

async function completeBatch(
  kernel: Kernel,
  items: readonly StandaloneCompletion[],
): Promise<readonly Outcome<Verdict>[]> {
  kernel.metrics.batchSize.observe({ operation: "complete" }, items.length)
  const counted = await completeAll(kernel, items)
  // Of several reports on one job one counts, by its own token; the others are judged by what that one left.
  const outcomes = items.map((_, at) => (counted.has(at) ? ACCEPTED : NOT_HOLDER))
  return counted.size < items.length ? completeUnpacked(kernel, items, outcomes) : outcomes
}

/** Returns which reports counted. */
async function completeAll(kernel: Kernel, items: readonly StandaloneCompletion[]): Promise<Set<number>> {
  const counted = new Set<number>()
  const onRows = (rows: readonly CompletedRow[]) => {
    for (const row of rows) counted.add(row.report)
    announce(kernel, rows, items)
  }
  const { rows, packs } = partOf(items)
  await kernel.db.transaction(async (tx) => {
    if (rows.length > 0) completeWithin(tx, items, { rows, onRows })
    if (packs.size > 0) completePacked(tx, packs, onRows)
  })
  return counted
}

/**
 * What has been taken out of its pack since the claim has a row; and which job a worker without a token means is only told by a row. The
 * others are written by now, so a failure here is that of these reports alone.
 */
async function completeUnpacked(
  kernel: Kernel,
  items: readonly StandaloneCompletion[],
  outcomes: Outcome<Verdict>[],
): Promise<readonly Outcome<Verdict>[]> {
  const places = items.flatMap(({ report: { token } }, at) =>
    outcomes[at] === NOT_HOLDER && (!token || token.place !== undefined) ? [at] : [],
  )
  if (places.length === 0) return outcomes
  const left = places.map((at) => withoutPlace(items[at] as StandaloneCompletion))
  try {
    await unpackJobs(
      kernel,
      left.flatMap(({ id, report }) => (report.token ? [] : [id])),
    )
    for (const at of await completeAll(kernel, left)) outcomes[places[at] as number] = ACCEPTED
  } catch (error) {
    for (const at of places) outcomes[at] = { error }
  }
  return outcomes
}

function withoutPlace({ id, report, result }: StandaloneCompletion): StandaloneCompletion {
  const { token } = report
  return token
    ? { id, result, report: { ...report, token: { epoch: token.epoch, nonce: token.nonce } } }
    : { id, report, result }
}

/** Together with what its handler wrote: a report that does not count is thrown, and everything is rolled back. */
export async function completeHeld(kernel: Kernel, tx: Transaction, report: Completion): Promise<void> {
  const id = report.jobId
  const [row] = await lockStandalone(kernel, tx, [id])
  if (!row || !isHolder(report, row)) throw new EngineError("lease-lost", `the lease of job ${id} is lost`)
  const items = [{ id, report, result: report.variables ? JSON.stringify(report.variables) : null }]
  completeWithin(tx, items, { rows: [0], onRows: () => {} })
  tx.afterCommit(() => announce(kernel, [{ ...row, report: 0 }], items))
}

interface RowsToComplete {
  /** Which of the items. */
  readonly rows: readonly number[]
  readonly onRows: (rows: readonly CompletedRow[]) => void
}

function completeWithin(
  tx: Transaction,
  items: readonly StandaloneCompletion[],
  { rows, onRows }: RowsToComplete,
): void {
  const reports = rows.map((at) => {
    const { id, report, result } = items[at] as StandaloneCompletion
    const { token, workerId } = report
    return { id, epoch: token?.epoch ?? null, nonce: token?.nonce ?? null, workerId, result }
  })
  completeJobs(tx, reports, (completed) =>
    onRows(completed.map((row) => ({ ...row, report: rows[row.report] as number }))),
  )
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
