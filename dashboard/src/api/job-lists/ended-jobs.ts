// Standalone jobs that have ended, the attempts of one, and one that is run again.
import type { wire } from "@millrace/sdk"
import { get, post } from "../http.ts"

export type EndedJob = wire.EndedJob
export type EndedStatus = wire.EndedJobStatus
export type JobAttempt = wire.JobAttempt

export const ENDED_STATUSES = ["COMPLETED", "FAILED", "CANCELLED"] as const satisfies readonly EndedStatus[]

export type EndedJobFilter = Pick<wire.ListEndedJobsQuery, "status" | "jobType" | "priority" | "keyPrefix">

const PAGE_SIZE = 50

export const endedJobsQuery = (filter: EndedJobFilter, cursor?: string) => ({
  queryKey: ["ended-jobs", filter, cursor],
  queryFn: () => get<"listEndedJobs">("/v1/jobs/ended", { ...filter, cursor, pageSize: PAGE_SIZE }),
})

const at = (id: string): string => `/v1/jobs/${encodeURIComponent(id)}`

export const jobAttemptsQuery = (id: string) => ({
  queryKey: ["job", id, "attempts"],
  queryFn: async () => (await get<"listJobAttempts">(`${at(id)}/attempts`)).items,
})

/** The new job. */
export const rerunJob = (id: string) => post<"rerunJob">(`${at(id)}/rerun`)
