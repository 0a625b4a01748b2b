// Typed access to who works: there is no table of workers, their leases say it.
import type { Database } from "../db/database.ts"
import { statements } from "../db/statements.ts"

const sql = statements(import.meta.url, "workers", ["listWorkers"])

export interface WorkerRow extends Record<string, unknown> {
  readonly worker_id: string
  readonly in_flight: number
  readonly job_types: string[]
  readonly since: number | null
  /** Its last claim or heartbeat. */
  readonly seen_at: number | null
}

/** Out of as many leases at most, those that end first. */
export const listWorkers = (db: Database, leases: number): Promise<WorkerRow[]> => db.query(sql.listWorkers, [leases])
