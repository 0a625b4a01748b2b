// Typed access to live jobs, a page at a time.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { JobKey } from "../../support/job-key.ts"
import { type JobColumns, toColumns } from "./job-columns.ts"

const sql = statements(import.meta.url, "live-jobs", [
  "listReadyJobs",
  "listLeasedJobs",
  "listDelayedJobs",
  "listHeldJobs",
  "listLiveJobsOf",
])

export interface LiveJobRow extends Record<string, unknown>, JobColumns {
  readonly step_id: string
  readonly epoch: number
  readonly created_at: number
  readonly visible_at: number | null
  readonly worker_id: string | null
  readonly lease_until: number | null
  readonly job_type: string
  readonly priority: Priority
  readonly definition_id: string
}

export interface ListedJobRow extends LiveJobRow {
  /** Where it stands in the order of its list: its sequence, or its time in microseconds. */
  readonly place: number
  /** False for one that only tells how far was looked. */
  readonly matches: boolean
  /** The last that was looked at: there may be more behind it. */
  readonly is_last: boolean
}

/** Where a page begins: after this job, or with the first one. */
export interface Place {
  readonly place: number
  readonly key: JobKey | undefined
}

interface ReadyPage {
  readonly ranges: { readonly queueIds: readonly number[]; readonly after: readonly number[] }
  readonly after: Place
  readonly limit: number
}

export const listReadyJobs = (db: Database, { ranges, after, limit }: ReadyPage): Promise<ListedJobRow[]> =>
  db.query(sql.listReadyJobs, { ...ranges, place: after.place, limit })

interface TimedPage {
  readonly queueIds: readonly number[]
  readonly after: Place
  /** How many are read, whether they match or not. */
  readonly lookAt: number
  readonly limit: number
}

const timed = ({ queueIds, after, lookAt, limit }: TimedPage) => ({
  queueIds,
  place: after.place,
  ...(after.key ? toColumns(after.key) : { instance_id: "", execution: 0 }),
  lookAt,
  // One more for the last that was looked at.
  limit: limit + 1,
})

export const listLeasedJobs = (db: Database, page: TimedPage): Promise<ListedJobRow[]> =>
  db.query(sql.listLeasedJobs, timed(page))

export const listDelayedJobs = (db: Database, page: TimedPage): Promise<ListedJobRow[]> =>
  db.query(sql.listDelayedJobs, timed(page))

export const listHeldJobs = (db: Database, { queueIds, lookAt, limit }: TimedPage): Promise<ListedJobRow[]> =>
  db.query(sql.listHeldJobs, { queueIds, lookAt, limit })

interface LiveKind {
  /** The status by the name that lists use: a `held` job with a time is `delayed`. */
  readonly status: string
  readonly queueIds: readonly number[]
}

/** The standalone jobs with these ids, in no order. */
export const listLiveJobsOf = (db: Database, ids: readonly string[], kind: LiveKind): Promise<LiveJobRow[]> =>
  db.query(sql.listLiveJobsOf, { ids, ...kind })
