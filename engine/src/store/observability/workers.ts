// Typed access to who works, and on what: leases tell of those who have jobs, sightings of those who ask for them.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Ranges } from "../flow/depths.ts"

const sql = statements(import.meta.url, "workers", ["listWorkers", "countByQueue"])

export interface WorkerRow extends Record<string, unknown> {
  readonly worker_id: string
  readonly in_flight: number
  /** That it asked for last; of its jobs, where it was not seen asking. */
  readonly job_types: string[]
  /** When it claimed the oldest job it has. */
  readonly since: number | null
  /** Its last poll, claim or heartbeat. */
  readonly seen_at: number | null
  readonly first_seen_at: number | null
  readonly is_polling: boolean
}

/** Workers with a lease, among the `limit` leases that end first, and workers that asked for work within `askingMs`. */
export const listWorkers = (db: Database, limit: number, askingMs: number): Promise<WorkerRow[]> =>
  db.query(sql.listWorkers, { limit, askingMs })

interface QueueCount extends Record<string, unknown> {
  readonly queue_id: number
  readonly ready: number
  readonly leased: number
}

/** A queue may come twice. */
export const countByQueue = (db: Database, { queueIds, after }: Ranges, limit: number): Promise<QueueCount[]> =>
  db.query(sql.countByQueue, { queueIds, after, limit })
