// Typed access to standalone jobs that have ended, and to the attempts of one.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader } from "../../db/transaction.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { ExecutionKey } from "../../support/ids.ts"

const sql = statements(import.meta.url, "ended-jobs", ["listEndedJobs", "listEndedJobsOf", "listAttemptsOfJob"])

export type EndedStatus = "COMPLETED" | "FAILED" | "CANCELLED"

export interface EndedKind {
  readonly status: EndedStatus | null
  /** Null is all. */
  readonly queueIds: readonly number[] | null
}

export interface EndedJobFilter extends EndedKind {
  readonly before: ExecutionKey
  /** Rows of the history that one page may look at. */
  readonly lookAt: number
  readonly limit: number
}

export interface EndedJobRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly step_id: string
  readonly attempt: number
  readonly status: EndedStatus
  readonly ended_at: number
  readonly error: string | null
  readonly worker_id: string | null
  readonly created_at: number
  readonly replay_of: string | null
  readonly priority: Priority
}

export interface ListedEndedRow extends EndedJobRow {
  readonly matches: boolean
  readonly is_last: boolean
}

/** Newest first. */
export const listEndedJobs = (db: Database, filter: EndedJobFilter): Promise<ListedEndedRow[]> =>
  db.query(sql.listEndedJobs, {
    status: filter.status,
    queueIds: filter.queueIds,
    instanceId: filter.before.instanceId,
    execution: filter.before.execution,
    lookAt: filter.lookAt,
    limit: filter.limit,
  })

/** The ended jobs with these ids, in no order. */
export const listEndedJobsOf = (db: Database, ids: readonly string[], kind: EndedKind): Promise<EndedJobRow[]> =>
  db.query(sql.listEndedJobsOf, { ids, ...kind })

export interface JobAttemptRow extends Record<string, unknown> {
  readonly epoch: number
  readonly outcome: "failed" | "timed-out" | "lost" | "returned" | "parked"
  readonly worker_id: string | null
  readonly error: string
  readonly ended_at: number
  readonly detail: string | null
}

/** The latest, newest first: those that did not end the job well. */
export const listAttemptsOfJob = (reader: Reader, id: string, limit: number): Promise<JobAttemptRow[]> =>
  reader.read(sql.listAttemptsOfJob, { id, limit })
