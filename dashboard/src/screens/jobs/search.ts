// What the address of the list of jobs says: which of them, and where the page begins.

import { ENDED_STATUSES, type EndedStatus } from "../../api/job-lists/ended-jobs.ts"
import { LIVE_STATUSES, type LiveStatus } from "../../api/job-lists/live-jobs.ts"
import { PRIORITIES, type Priority } from "../../api/overview.ts"
import { oneOf, type RawSearch, text } from "../../api/search-text.ts"

export const TABS = [...LIVE_STATUSES, "ended"] as const
export type Tab = LiveStatus | "ended"

export interface JobsSearch {
  readonly status?: Tab
  /** How those ended that are shown; all of them without it. */
  readonly as?: EndedStatus
  readonly jobType?: string
  readonly priority?: Priority
  readonly keyPrefix?: string
  readonly cursor?: string
}

/** Which jobs. Those that are ready are shown where no status is named, and only what has ended has ended in some way. */
export const readJobFilter = (search: RawSearch): Omit<JobsSearch, "cursor"> => {
  const status = oneOf(search, "status", TABS)
  return {
    status: status === "ready" ? undefined : status,
    as: status === "ended" ? oneOf(search, "as", ENDED_STATUSES) : undefined,
    jobType: text(search, "jobType"),
    priority: oneOf(search, "priority", PRIORITIES),
    keyPrefix: text(search, "keyPrefix"),
  }
}

export const readJobsSearch = (search: RawSearch): JobsSearch => ({
  ...readJobFilter(search),
  cursor: text(search, "cursor"),
})
