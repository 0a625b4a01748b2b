// Typed access to queues.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Priority } from "../../model/definitions/definition.ts"

const sql = statements(import.meta.url, "queues", ["ensureQueues", "listQueues"])

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
}

export async function ensureQueues(db: Database, keys: readonly QueueKey[]): Promise<void> {
  await db.query(sql.ensureQueues, {
    keys: keys.map((k) => ({
      priority: k.priority,
      job_type: k.jobType,
      definition_id: k.definitionId,
      downstream: k.downstream,
      is_fair: k.isFair ?? false,
    })),
  })
}

/** Those made since the given id. Queues are never removed. */
export const listQueues = (db: Database, afterId: number): Promise<QueueRow[]> => db.query(sql.listQueues, { afterId })
