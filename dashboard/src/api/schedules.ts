// Schedules, what became of their ticks, and how they are changed.
import { get, post, put, remove } from "./http.ts"

export const OVERLAPS = {
  skip: "Skip the new run",
  queue: "Wait for the old run",
  cancel: "Cancel the old run",
} as const
export const CATCH_UPS = { none: "None", last: "The last one", all: "All of them" } as const

export interface ScheduleRequest {
  readonly cron: string
  readonly timezone?: string
  readonly definitionId?: string
  readonly jobType?: string
  readonly input?: Readonly<Record<string, unknown>>
  readonly priority?: string
  readonly overlap?: keyof typeof OVERLAPS
  readonly catchUp?: keyof typeof CATCH_UPS
  readonly enabled?: boolean
}

export interface Schedule extends ScheduleRequest {
  readonly id: string
  readonly timezone: string
  readonly overlap: keyof typeof OVERLAPS
  readonly catchUp: keyof typeof CATCH_UPS
  readonly enabled: boolean
  readonly lastFiredAt?: string
  readonly lastWorkId?: string
  readonly lastOutcome?: Outcome
  readonly lastDetail?: string
  readonly nextAt?: string
  readonly upcoming: readonly string[]
  readonly changedAt: string
  readonly changedBy: string
}

type Outcome = "started" | "skipped" | "queued" | "failed"

export interface ScheduleRun {
  readonly dueAt: string
  readonly firedAt: string
  readonly cause: "cron" | "manual"
  readonly outcome: Outcome
  readonly workId?: string
  readonly detail?: string
}

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor?: string
}

const at = (id: string): string => `/v1/schedules/${encodeURIComponent(id)}`

export const schedulesQuery = () => ({
  queryKey: ["schedules"],
  queryFn: () => get<Page<Schedule>>("/v1/schedules", { pageSize: 200 }),
})

export const scheduleRunsQuery = (id: string) => ({
  queryKey: ["schedule-runs", id],
  queryFn: () => get<Page<ScheduleRun>>(`${at(id)}/runs`, { pageSize: 20 }),
})

export const createSchedule = (id: string, request: ScheduleRequest): Promise<Schedule> =>
  post("/v1/schedules", { id, ...request })

export const replaceSchedule = (id: string, request: ScheduleRequest): Promise<Schedule> => put(at(id), request)

export const runSchedule = (id: string): Promise<ScheduleRun> => post(`${at(id)}/run`)

export const deleteSchedule = (id: string): Promise<void> => remove(at(id))

/** What is sent to keep it as it is. */
export function requestOf(schedule: Schedule): ScheduleRequest {
  const { cron, timezone, definitionId, jobType, input, priority, overlap, catchUp, enabled } = schedule
  return { cron, timezone, definitionId, jobType, input, priority, overlap, catchUp, enabled }
}
