// The list of live jobs, standalone and of steps, by status. What has ended is in the history and found by its id.

import type { Priority } from "../../model/definitions/definition.ts"
import type { Reach } from "../../model/people/reach.ts"
import { jobKeyOf } from "../../store/jobs/job-columns.ts"
import {
  type ListedJobRow,
  type LiveJobRow,
  listDelayedJobs,
  listHeldJobs,
  listLeasedJobs,
  listLiveJobsOf,
  listReadyJobs,
  type Place,
} from "../../store/jobs/live-jobs.ts"
import { isoTime } from "../../support/iso-time.ts"
import { jobIdOf, parseJobId } from "../../support/job-key.ts"
import { queuesOf } from "../flow/queue-registry.ts"
import { rangesOf } from "../flow/read-depths.ts"
import { type InstanceKeys, withInstanceKeys, withoutInstanceKeys } from "../instances/instance-keys.ts"
import { cutLooked, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { withJobKeys } from "./job-keys.ts"
import { listJobsByKey } from "./list-jobs-by-key.ts"

/** `delayed` waits for a time; `held` for a signal or for its turn under a limit. */
export const LISTED_STATUSES = ["ready", "leased", "delayed", "held"] as const
type ListedStatus = (typeof LISTED_STATUSES)[number]

export interface JobQuery {
  readonly status: ListedStatus
  readonly jobType?: string | undefined
  readonly priority?: Priority | undefined
  /** Standalone jobs whose key begins so, in the order of types and keys. */
  readonly keyPrefix?: string | undefined
  readonly cursor?: string | undefined
  readonly pageSize: number
}

export interface ListedJobView extends InstanceKeys {
  readonly id: string
  readonly jobType: string
  readonly priority: Priority
  readonly status: ListedStatus
  /** The three of a step's job. */
  readonly instanceId?: string
  readonly stepId?: string
  readonly definitionId?: string
  readonly createdAt: string
  readonly visibleAt?: string
  /** Which one it is, or was last; 0 before the first. */
  readonly attempt: number
  readonly workerId?: string
  readonly lockExpiresAt?: string
}

interface JobPage {
  readonly items: readonly ListedJobView[]
  /** There may be more, also after a page with few: a filter is applied to so many at a time. */
  readonly nextCursor?: string
}

/** How many jobs a filter is applied to for one page. */
const LOOKED_AT = 10_000

export async function listJobs(kernel: Kernel, query: JobQuery): Promise<JobPage> {
  const { keyPrefix, status } = query
  if (keyPrefix !== undefined) {
    const queueIds = await queueIdsOf(kernel, query)
    return listJobsByKey(kernel, { ...query, keyPrefix }, async (ids) =>
      (await listLiveJobsOf(kernel.db, ids, { status, queueIds })).map((row) => viewOf(row, status)),
    )
  }
  const after = query.cursor === undefined ? FIRST : readCursor(query.cursor, (text) => parsePlace(text, query.status))
  const rows = await rowsOf(kernel, query, after)
  const { shown, next } = cutLooked(rows, query.pageSize, (row) => placeOf(row, query.status))
  const views = shown.map((row) => viewOf(row, query.status))
  const items = await withJobKeys(kernel, views, ({ id, instanceId }) => (instanceId === undefined ? id : undefined))
  return { items: await withInstanceKeys(kernel, items), ...(query.status === "held" ? {} : next) }
}

async function queueIdsOf(kernel: Kernel, { jobType, priority }: JobQuery): Promise<readonly number[]> {
  // Another process may have made one a moment ago.
  await queuesOf(kernel).refresh()
  const queues = jobType === undefined ? queuesOf(kernel).all : queuesOf(kernel).ofTypes([jobType])
  return queues.filter((queue) => priority === undefined || queue.priority === priority).map(({ id }) => id)
}

async function rowsOf(kernel: Kernel, query: JobQuery, after: Place): Promise<ListedJobRow[]> {
  const { status, jobType, priority, pageSize } = query
  const queueIds = await queueIdsOf(kernel, query)
  if (queueIds.length === 0) return []
  const limit = pageSize + 1
  if (status === "ready") return listReadyJobs(kernel.db, { ranges: rangesOf(kernel, queueIds), after, limit })
  const lookAt = jobType === undefined && priority === undefined ? limit : LOOKED_AT
  const list = { leased: listLeasedJobs, delayed: listDelayedJobs, held: listHeldJobs }[status]
  return list(kernel.db, { queueIds, after, lookAt, limit })
}

/** Hides what the caller may not see: the keys of a step's job belong to the instance. */
export const listedJobWithin = (reach: Reach, job: ListedJobView): ListedJobView =>
  job.instanceId === undefined || reach.may("read", "instance") ? job : withoutInstanceKeys(job)

const FIRST: Place = { place: 0, key: undefined }

const placeOf = (row: ListedJobRow, status: ListedStatus): string => `${status} ${row.place} ${jobIdOf(jobKeyOf(row))}`

function parsePlace(text: string, status: ListedStatus): Place | undefined {
  const [of, place = "", id = ""] = text.split(" ")
  const key = parseJobId(id)
  return of === status && /^\d{1,16}$/.test(place) && key ? { place: Number(place), key } : undefined
}

function viewOf(row: LiveJobRow, status: ListedStatus): ListedJobView {
  const { step_id: stepId, definition_id: definitionId, visible_at: visibleAt } = row
  const key = jobKeyOf(row)
  const isLeased = status === "leased"
  return {
    id: jobIdOf(key),
    jobType: row.job_type,
    priority: row.priority,
    status,
    ...(key.kind === "step" ? { instanceId: key.instanceId, stepId, definitionId } : {}),
    createdAt: isoTime(row.created_at),
    ...(status === "delayed" && visibleAt !== null ? { visibleAt: isoTime(visibleAt) } : {}),
    attempt: row.epoch,
    ...(isLeased && row.worker_id !== null ? { workerId: row.worker_id } : {}),
    ...(isLeased && row.lease_until !== null ? { lockExpiresAt: isoTime(row.lease_until) } : {}),
  }
}
