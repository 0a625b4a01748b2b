// Jobs that stand alone, as the engine gives them.
import { get, post } from "./http.ts"
import type { LaneName } from "./overview.ts"

export type JobStatus = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"

export interface Job {
  readonly id: string
  readonly type: string
  readonly status: JobStatus
  readonly priority: LaneName
  readonly payload: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>> | null
  readonly retry_count: number
  /** Of the last attempt that failed. */
  readonly error: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly due_at?: string
  readonly worker_id?: string
  readonly replay_of?: string
}

export interface NewJob {
  readonly type: string
  readonly payload: unknown
  readonly priority: LaneName
  readonly delay?: string
  readonly key?: string
  readonly retries?: number
  readonly timeout?: string
  readonly downstream?: string
}

export interface JobWaitingReason {
  readonly kind: string
  readonly since: string
  readonly detail: Readonly<Record<string, unknown>> & { readonly message?: string }
}

export const hasEnded = ({ status }: Job): boolean => status !== "PENDING" && status !== "RUNNING"

const at = (id: string): string => `/jobs/${encodeURIComponent(id)}`

export const jobQuery = (id: string) => ({ queryKey: ["job", id], queryFn: () => get<Job>(at(id)) })

export const jobWaitingQuery = (id: string) => ({
  queryKey: ["job", id, "waiting"],
  queryFn: async () =>
    (await get<{ reasons: readonly JobWaitingReason[] }>(`/v1/jobs/${encodeURIComponent(id)}/waiting`)).reasons,
})

export const enqueueJob = (job: NewJob): Promise<Job> => post("/jobs", job)

export const cancelJob = (id: string, reason: string): Promise<Job> =>
  post(`${at(id)}/cancel`, reason === "" ? {} : { reason })
