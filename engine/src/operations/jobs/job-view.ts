// A standalone job as its callers see it.
import type { Priority } from "../../model/definitions/definition.ts"

export type StandaloneStatus = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"

export interface JobView {
  readonly id: string
  readonly type: string
  /** The key that the job was enqueued with. */
  readonly key?: string | undefined
  readonly status: StandaloneStatus
  readonly priority: Priority
  /** JSON text, as stored: it need not be parsed to be sent. */
  readonly payload: string
  /** JSON text; null until it is there. */
  readonly result: string | null
  readonly retryCount: number
  /** The error of the last failed attempt. */
  readonly error: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** When it is due, where it waits for a time. */
  readonly visibleAt?: number | undefined
  readonly workerId?: string | undefined
  readonly replayOf?: string | undefined
}
