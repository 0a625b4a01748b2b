// A job that stands alone, as the library shows it.
import type { JobView } from "../../operations/jobs/read-jobs.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { JsonObject } from "../../support/json.ts"

/** A job as it stood when it was read: its payload and its result as they were given. */
export interface JobRecord extends Omit<JobView, "payload" | "result" | "createdAt" | "updatedAt" | "visibleAt"> {
  readonly payload: JsonObject
  readonly result: JsonObject | null
  readonly createdAt: string
  readonly updatedAt: string
  /** When it is due, where it waits for a time. */
  readonly dueAt?: string
}

export const recordOf = ({ payload, result, createdAt, updatedAt, visibleAt, ...job }: JobView): JobRecord => ({
  ...job,
  payload: JSON.parse(payload) as JsonObject,
  result: result === null ? null : (JSON.parse(result) as JsonObject),
  createdAt: isoTime(createdAt),
  updatedAt: isoTime(updatedAt),
  ...(visibleAt === undefined ? {} : { dueAt: isoTime(visibleAt) }),
})
