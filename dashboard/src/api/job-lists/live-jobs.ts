// Live jobs, standalone and of steps, one status at a time.
import type { wire } from "@millrace/sdk"
import { get } from "../http.ts"

export type LiveJob = wire.LiveJob
export type LiveStatus = wire.LiveJobStatus
export type LiveJobFilter = Pick<wire.ListJobsQuery, "status" | "jobType" | "priority" | "keyPrefix">

/** `delayed` waits for a time; `held` for a signal or for its turn under a limit. */
export const LIVE_STATUSES = ["ready", "leased", "delayed", "held"] as const satisfies readonly LiveStatus[]

const PAGE_SIZE = 50
export const LIVE_JOBS = ["live-jobs"]

export const liveJobsQuery = ({ status = "ready", ...filter }: LiveJobFilter, cursor?: string) => ({
  queryKey: [...LIVE_JOBS, status, filter, cursor],
  queryFn: () => get<"listJobs">("/v1/jobs", { status, ...filter, cursor, pageSize: PAGE_SIZE }),
})
