// Typed access to queues.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Priority } from "../../model/definitions/definition.ts"

const sql = statements(import.meta.url, "queues", [
  "reviveQueues",
  "makeQueues",
  "listQueues",
  "retireQueues",
  "listRemovable",
  "removeQueues",
  "notePolled",
])

export interface QueueKey {
  readonly priority: Priority
  readonly jobType: string
  /** Empty for standalone jobs. */
  readonly definitionId: string
  readonly downstream: string
  /** Read in turn by fair key. */
  readonly isFair?: boolean
}

export interface QueueRow extends Record<string, unknown> {
  readonly id: number
  readonly priority: Priority
  readonly job_type: string
  readonly definition_id: string
  readonly downstream: string
  readonly is_fair: boolean
  readonly is_retired: boolean
  readonly mark: number
}

/**
 * Those that are retired come back first, and those that are missing are made then: a queue that is being removed
 * meanwhile is waited for by the first, and made anew by the second.
 */
export async function ensureQueues(db: Database, queues: readonly QueueKey[]): Promise<void> {
  const keys = queues.map((k) => ({
    priority: k.priority,
    job_type: k.jobType,
    definition_id: k.definitionId,
    downstream: k.downstream,
    is_fair: k.isFair ?? false,
  }))
  await db.query(sql.reviveQueues, { keys })
  await db.query(sql.makeQueues, { keys })
}

export const listQueues = (db: Database): Promise<QueueRow[]> => db.query(sql.listQueues)

/** As the pulse does it. One that is locked is being noted by another, or is left to the pulse. */
export async function notePolled(db: Database, ids: readonly number[]): Promise<void> {
  await db.query(sql.notePolled, { ids })
}

/** Queues without jobs that no worker has asked for in so long take no new jobs until they are ensured again. */
export async function retireQueues(db: Database, quietMs: number): Promise<void> {
  await db.query(sql.retireQueues, { quietMs })
}

/** Removes queues that have been retired for so long and that nothing names any more. Returns their job types. */
export async function removeQueues(db: Database, retiredMs: number): Promise<string[]> {
  const removable = await db.query<{ id: number }>(sql.listRemovable, { retiredMs })
  if (removable.length === 0) return []
  const ids = removable.map(({ id }) => id)
  const gone = await db.ponder<{ job_type: string }>(sql.removeQueues, { ids, retiredMs })
  return gone.map((row) => row.job_type)
}
