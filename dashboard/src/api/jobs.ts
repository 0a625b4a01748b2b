// Jobs that stand alone, as the engine gives them.
import type { wire } from "@millrace/sdk"
import { get, post } from "./http.ts"

export type Job = wire.StandaloneJob
export type NewJob = wire.EnqueueJob
export type JobWaitingReason = wire.WaitingReason

export const hasEnded = ({ status }: Job): boolean => status !== "PENDING" && status !== "RUNNING"

const at = (id: string): string => `/jobs/${encodeURIComponent(id)}`

export const jobQuery = (id: string) => ({ queryKey: ["job", id], queryFn: () => get<"getJob">(at(id)) })

export const jobWaitingQuery = (id: string) => ({
  queryKey: ["job", id, "waiting"],
  queryFn: async () => (await get<"explainJobWaiting">(`/v1/jobs/${encodeURIComponent(id)}/waiting`)).reasons,
})

export const enqueueJob = (job: NewJob) => post<"enqueueJob">("/jobs", job)

export const cancelJob = (id: string, reason: string) =>
  post<"cancelJob">(`${at(id)}/cancel`, reason === "" ? {} : { reason })
