// A finished job on its way back to the engine, and how reports are packed into one request.

import type { CompletedReport, ExchangeRequest, Job } from "../../client/job-types.ts"
import type { FailedReport } from "../../generated/wire.ts"
import type { Outcome } from "../outcome.ts"

export interface Report {
  readonly job: Job
  readonly outcome: Outcome
  /** The engine does not wait for it after this moment: its lease surely ended and was swept up. */
  readonly giveUpAt: number
  /** Its lease is lost already: worth one try, because the engine takes it if no other worker has claimed the job. */
  readonly once: boolean
  tries: number
}

const MAX_REPORTS = 500
/** The engine takes bodies up to 1 MiB; this leaves room for ids, tokens and escapes. */
const MAX_BYTES = 700_000
const OVERHEAD_BYTES = 300

/** Takes from the front as many reports as fit into one exchange, at least one. */
export function takeBatch(waiting: Report[]): Report[] {
  let bytes = 0
  const tooMany = waiting.findIndex((report, i) => {
    bytes += report.outcome.bytes + OVERHEAD_BYTES
    return i >= MAX_REPORTS || (i > 0 && bytes > MAX_BYTES)
  })
  return waiting.splice(0, tooMany < 0 ? waiting.length : tooMany)
}

/** The order in which an exchange answers: completed, then failed. */
export function inAnswerOrder(batch: readonly Report[]): Report[] {
  const isCompleted = ({ outcome }: Report) => outcome.kind === "completed"
  return [...batch.filter(isCompleted), ...batch.filter((report) => !isCompleted(report))]
}

export function exchangeReports(batch: readonly Report[]): Pick<ExchangeRequest, "completed" | "failed"> {
  const completed: CompletedReport[] = []
  const failed: FailedReport[] = []
  for (const { job, outcome } of batch) {
    const { kind, bytes, ...what } = outcome
    const report = { jobId: job.id, leaseToken: job.leaseToken, ...what }
    if (kind === "completed") completed.push(report)
    else failed.push(report as FailedReport)
  }
  return { ...(completed.length > 0 ? { completed } : {}), ...(failed.length > 0 ? { failed } : {}) }
}
