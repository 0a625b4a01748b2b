// Typed access to queues.
import type { Database } from "../db/database.ts"
import { statements } from "../db/statements.ts"
import type { Priority } from "../model/definition.ts"

const sql = statements(import.meta.url, "queues", ["ensureQueues", "listQueues"])

export interface QueueKey {
  readonly priority: Priority
  readonly jobType: string
  readonly definitionId: string
  readonly downstream: string
}

export interface QueueRow extends Record<string, unknown> {
  readonly id: number
  readonly priority: Priority
  readonly job_type: string
  readonly definition_id: string
  readonly downstream: string
}

export async function ensureQueues(db: Database, keys: readonly QueueKey[]): Promise<void> {
  await db.query(sql.ensureQueues, [
    keys.map((k) => k.priority),
    keys.map((k) => k.jobType),
    keys.map((k) => k.definitionId),
    keys.map((k) => k.downstream),
  ])
}

/** Those made since the given id. Queues are never removed. */
export const listQueues = (db: Database, afterId: number): Promise<QueueRow[]> => db.query(sql.listQueues, [afterId])
