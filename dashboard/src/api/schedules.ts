// Schedules, what became of their ticks, and how they are changed.
import type { wire } from "@millrace/sdk"
import { get, patch, post, put, remove } from "./http.ts"

export type ScheduleRequest = wire.ScheduleRequest
export type Schedule = wire.Schedule
export type ScheduleRun = wire.ScheduleRun

export const OVERLAPS: Readonly<Record<wire.Overlap, string>> = {
  skip: "Skip the new run",
  queue: "Wait for the old run",
  cancel: "Cancel the old run",
}
export const CATCH_UPS: Readonly<Record<wire.CatchUp, string>> = {
  none: "None",
  last: "The last one",
  all: "All of them",
}

const at = (id: string): string => `/v1/schedules/${encodeURIComponent(id)}`

export const schedulesQuery = () => ({
  queryKey: ["schedules"],
  queryFn: () => get<"listSchedules">("/v1/schedules", { pageSize: 200 }),
})

export const scheduleRunsQuery = (id: string) => ({
  queryKey: ["schedule-runs", id],
  queryFn: () => get<"listScheduleRuns">(`${at(id)}/runs`, { pageSize: 20 }),
})

export const createSchedule = (id: string, request: ScheduleRequest) =>
  post<"createSchedule">("/v1/schedules", { id, ...request })

export const replaceSchedule = (id: string, request: ScheduleRequest) => put<"putSchedule">(at(id), request)

export const switchSchedule = (id: string, enabled: boolean) => patch<"changeSchedule">(at(id), { enabled })

export const runSchedule = (id: string) => post<"runSchedule">(`${at(id)}/run`)

export const deleteSchedule = (id: string) => remove<"deleteSchedule">(at(id))
