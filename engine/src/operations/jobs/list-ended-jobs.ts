// The list of standalone jobs that have ended, newest first, and the attempts of one.
import type { Priority } from "../../model/definitions/definition.ts"
import type { AttemptDetail } from "../../model/instances/plan.ts"
import {
  type EndedJobRow,
  type EndedStatus,
  type JobAttemptRow,
  listAttemptsOfJob,
  listEndedJobsOf,
  listEndedJobs as listRows,
} from "../../store/jobs/ended-jobs.ts"
import { type ExecutionKey, executionId, parseExecutionId } from "../../support/ids.ts"
import { isoTime } from "../../support/iso-time.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { readCursor, writeCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { withJobKeys } from "./job-keys.ts"
import { listJobsByKey } from "./list-jobs-by-key.ts"
import { getJob } from "./read-jobs.ts"

export const ENDED_STATUSES = ["COMPLETED", "FAILED", "CANCELLED"] as const satisfies readonly EndedStatus[]

export interface EndedJobQuery {
  readonly status?: EndedStatus | undefined
  readonly jobType?: string | undefined
  readonly priority?: Priority | undefined
  /** Jobs whose key begins with this, in the order of types and keys. */
  readonly keyPrefix?: string | undefined
  readonly cursor?: string | undefined
  readonly pageSize: number
}

export interface EndedJobView {
  readonly id: string
  readonly jobType: string
  /** The key that the job was enqueued with. */
  readonly key?: string
  readonly priority: Priority
  readonly status: EndedStatus
  readonly createdAt: string
  readonly endedAt: string
  /** How many attempts there were. */
  readonly attempts: number
  readonly workerId?: string
  /** The beginning of the error. */
  readonly error?: string
  readonly replayOf?: string
}

interface EndedJobPage {
  readonly items: readonly EndedJobView[]
  /** There may be more, also after a page with few: so many entries of the history are looked at for one. */
  readonly nextCursor?: string
}

const LOOKED_AT = 10_000
/** Above every id. */
const NEWEST: ExecutionKey = { instanceId: "~", execution: 0 }

export async function listEndedJobs(kernel: Kernel, query: EndedJobQuery): Promise<EndedJobPage> {
  const { keyPrefix, status = null } = query
  const queueIds = await queueIdsOf(kernel, query)
  if (queueIds?.length === 0) return { items: [] }
  if (keyPrefix !== undefined)
    return listJobsByKey(kernel, { ...query, keyPrefix }, async (ids) =>
      (await listEndedJobsOf(kernel.db, ids, { status, queueIds })).map(viewOf),
    )
  const before = query.cursor === undefined ? NEWEST : readCursor(query.cursor, parseExecutionId)
  const rows = await listRows(kernel.db, {
    status,
    queueIds,
    before,
    lookAt: LOOKED_AT,
    limit: query.pageSize + 1,
  })
  const matching = rows.filter(({ matches }) => matches)
  const items = matching.slice(0, query.pageSize)
  const goOn = matching.length > items.length ? items.at(-1) : rows.find(({ is_last }) => is_last)
  return {
    items: await withJobKeys(kernel, items.map(viewOf), ({ id }) => id),
    ...(goOn ? { nextCursor: writeCursor(executionId(goOn.instance_id, goOn.execution)) } : {}),
  }
}

/** Null is all: without a filter even the queues that were removed. */
async function queueIdsOf(kernel: Kernel, { jobType, priority }: EndedJobQuery): Promise<readonly number[] | null> {
  if (jobType === undefined && priority === undefined) return null
  await queuesOf(kernel).refresh()
  const queues = jobType === undefined ? queuesOf(kernel).all : queuesOf(kernel).ofTypes([jobType])
  return queues.filter((queue) => priority === undefined || queue.priority === priority).map(({ id }) => id)
}

const viewOf = (row: EndedJobRow): EndedJobView => ({
  id: row.instance_id,
  jobType: row.step_id,
  priority: row.priority,
  status: row.status,
  createdAt: isoTime(row.created_at),
  endedAt: isoTime(row.ended_at),
  attempts: row.attempt,
  ...(row.worker_id === null ? {} : { workerId: row.worker_id }),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.replay_of === null ? {} : { replayOf: row.replay_of }),
})

export interface JobAttemptView {
  /** The attempt number that the worker was given. */
  readonly attempt: number
  readonly outcome: JobAttemptRow["outcome"] | "completed"
  readonly endedAt: string
  readonly workerId?: string
  readonly error?: string
  readonly stack?: string
}

/** A job that is tried again and again for months has more. */
const ATTEMPTS_MAX = 100

/** The attempts of a job, live or ended, the latest first. */
export async function listJobAttempts(kernel: Kernel, id: string): Promise<readonly JobAttemptView[]> {
  const job = await getJob(kernel, id)
  const rows = await listAttemptsOfJob(kernel.db, id, ATTEMPTS_MAX)
  const earlier = rows.map(viewOfAttempt)
  if (job.status !== "COMPLETED") return earlier
  const last: JobAttemptView = {
    attempt: (rows[0]?.epoch ?? 0) + 1,
    outcome: "completed",
    endedAt: isoTime(job.updatedAt),
    ...(job.workerId === undefined ? {} : { workerId: job.workerId }),
  }
  return [last, ...earlier]
}

function viewOfAttempt({ epoch, outcome, worker_id, error, ended_at, detail }: JobAttemptRow): JobAttemptView {
  const { stack } = JSON.parse(detail ?? "{}") as AttemptDetail
  return {
    attempt: epoch,
    outcome,
    endedAt: isoTime(ended_at),
    ...(worker_id === null ? {} : { workerId: worker_id }),
    ...(error === "" ? {} : { error }),
    ...(stack === undefined ? {} : { stack }),
  }
}
