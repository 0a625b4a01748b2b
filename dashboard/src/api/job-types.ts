// Job types: how many jobs wait and run, and how long an attempt may take.
import type { wire } from "@millrace/sdk"
import { get, put } from "./http.ts"

export type JobType = wire.JobType

/** Jobs of a type are counted to this. */
export const COUNTED_TO = 10_000

export const jobTypesQuery = {
  queryKey: ["queues", "job-types"],
  queryFn: async () => (await get<"listJobTypes">("/v1/job-types")).items,
}

/** Without a timeout the one that was set by hand is taken back. */
export const setJobTimeout = (name: string, timeout: string | undefined) =>
  put<"setJobType">(`/v1/job-types/${encodeURIComponent(name)}`, timeout === undefined ? {} : { timeout })
