// Typed access to what live jobs wait for.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { LiveJobStatus } from "../../model/jobs/job-machine.ts"

const sql = statements(import.meta.url, "waiting-jobs", ["listWaitingJobs", "listParkedWaits"])

export interface WaitingJobRow extends Record<string, unknown> {
  readonly execution: number
  readonly status: LiveJobStatus
  readonly step_id: string
  readonly epoch: number
  readonly worker_id: string | null
  readonly lease_until: number | null
  readonly visible_at: number | null
  readonly waits_for: string | null
  readonly held_reason: string | null
  readonly created_at: number
  readonly fair_key: string | null
  readonly limit_key: string | null
  readonly retries_left: number
  /** JSON; null for the policy of its kind. */
  readonly retry: string | null
  /** How its last attempt ended. */
  readonly end_outcome: string | null
  readonly end_error: string | null
  /** The step of a run that it ended at; null where none is known. */
  readonly end_step: string | null
  readonly ended_at: number | null
  /** The id of its message in Kafka. Null where there is none, or where its consumers have passed it. */
  readonly dedup_id: string | null
  readonly partition: number | null
  readonly log_offset: number | null
  readonly published_at: number | null
  readonly job_type: string
  readonly priority: Priority
  /** Empty for a standalone job. */
  readonly definition_id: string
  readonly downstream: string
  readonly polled_at: number | null
  /** Before it in its queue; of its own fair key where it has one; held by the same limit where that keeps it. */
  readonly ahead: number
  /** Before it in all queues of its downstream. */
  readonly ahead_at_downstream: number
  /** Ready or leased with its limit key. */
  readonly under_way: number
  readonly running: number
  readonly limit_max: number | null
}

/** The counts go up to `countTo`. */
export const listWaitingJobs = (db: Database, instanceId: string, countTo: number): Promise<WaitingJobRow[]> =>
  db.query(sql.listWaitingJobs, { instanceId, countTo })

export interface ParkedWaitRow extends Record<string, unknown> {
  /** Why the last signal or answer was refused. */
  readonly error: string | null
  readonly name: string
  /** JSON: until when, and for which signal. */
  readonly value: string
  readonly started_at: number
}

/** What the run of a job had come to when it was parked; the first to end comes first. */
export const listParkedWaits = (db: Database, instanceId: string, execution: number): Promise<ParkedWaitRow[]> =>
  db.query(sql.listParkedWaits, { instanceId, execution })
