// Standalone jobs, live or ended.
import type { Reader } from "../../db/transaction.ts"
import type { Reach } from "../../model/people/reach.ts"
import { type EndedJobRow, findEndedJob, findLiveJob, type LiveJobRow } from "../../store/jobs/standalone-jobs.ts"
import { notFound } from "../../support/errors.ts"
import { isUlid } from "../../support/ids.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { JobView } from "./job-view.ts"

/** Empties the payload and the result for a caller that may not read them: the wire requires both fields. */
export const jobWithin = (reach: Reach, job: JobView): JobView =>
  reach.may("read", "job") ? job : { ...job, payload: "{}", result: null }

export type { JobView } from "./job-view.ts"

export async function getJob(kernel: Kernel, id: string): Promise<JobView> {
  const view = isUlid(id) ? await findJob(kernel.db, id) : undefined
  if (!view) throw notFound(`there is no job ${id.slice(0, 64)}`)
  return view
}

/** Live first: a job only ever goes from there into history. */
export async function findJob(reader: Reader, id: string): Promise<JobView | undefined> {
  const live = await findLiveJob(reader, id)
  if (live) return viewOfLive(live)
  const ended = await findEndedJob(reader, id)
  return ended && viewOfEnded(ended)
}

const viewOfLive = (row: LiveJobRow): JobView => ({
  id: row.id,
  type: row.job_type,
  key: row.key ?? undefined,
  status: row.status === "leased" ? "RUNNING" : "PENDING",
  priority: row.priority,
  payload: row.payload,
  result: null,
  retryCount: row.failures,
  error: row.error,
  createdAt: row.created_at,
  updatedAt: Math.max(row.created_at, row.claimed_at ?? 0, row.failed_at ?? 0),
  visibleAt: row.visible_at ?? undefined,
  workerId: row.status === "leased" ? (row.worker_id ?? undefined) : undefined,
  replayOf: row.replay_of ?? undefined,
})

const viewOfEnded = (row: EndedJobRow): JobView => ({
  id: row.id,
  type: row.job_type,
  key: row.key ?? undefined,
  status: row.status,
  priority: row.priority,
  payload: row.payload,
  result: row.result,
  retryCount: row.retry_count,
  error: row.failure_reason,
  createdAt: row.created_at,
  updatedAt: row.ended_at,
  workerId: row.worker_id ?? undefined,
  replayOf: row.replay_of ?? undefined,
})
