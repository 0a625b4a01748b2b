// Live jobs, standalone and of steps, one status at a time.
import { get } from "./http.ts"
import type { LaneName } from "./overview.ts"

/** `delayed` waits for a time; `held` for a signal or for its turn under a limit. */
export const LIVE_STATUSES = ["ready", "leased", "delayed", "held"] as const
export type LiveStatus = (typeof LIVE_STATUSES)[number]

export interface LiveJob {
  readonly id: string
  readonly jobType: string
  readonly priority: LaneName
  readonly status: LiveStatus
  /** The three of a step's job. */
  readonly instanceId?: string
  readonly stepId?: string
  readonly definitionId?: string
  readonly createdAt: string
  readonly visibleAt?: string
  /** 0 before the first. */
  readonly attempt: number
  readonly workerId?: string
  readonly lockExpiresAt?: string
}

export interface LiveJobFilter {
  readonly status?: LiveStatus
  readonly jobType?: string
  readonly priority?: LaneName
}

interface LiveJobPage {
  readonly items: readonly LiveJob[]
  /** Also after a page with few: a filter is applied to so many at a time. */
  readonly nextCursor?: string
}

const PAGE_SIZE = 50
export const LIVE_JOBS = ["live-jobs"]

export const liveJobsQuery = ({ status = "ready", ...filter }: LiveJobFilter, cursor?: string) => ({
  queryKey: [...LIVE_JOBS, status, filter, cursor],
  queryFn: () => get<LiveJobPage>("/v1/jobs", { status, ...filter, cursor, pageSize: PAGE_SIZE }),
})
