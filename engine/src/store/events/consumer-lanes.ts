// Typed access to the lanes of consumers, and to the messages that queue in them.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "consumer-lanes", [
  "lockLane",
  "insertLane",
  "moveLane",
  "deleteLane",
  "queueMessage",
  "takeQueued",
  "listEndedLanes",
])

export interface LaneKey {
  readonly consumer: string
  readonly lane: string
}

export interface Lane extends LaneKey {
  /** The job of the message that is tried again. */
  readonly jobId: string
}

/** The job that closes the lane; undefined where it is open. The lane stays as it is until the transaction is over. */
export async function lockLane(tx: Transaction, { consumer, lane }: LaneKey): Promise<string | undefined> {
  const [row] = await tx.read<{ job_id: string }>(sql.lockLane, { consumer, lane })
  return row?.job_id
}

export const insertLane = (tx: Transaction, { consumer, lane, jobId }: Lane): void =>
  tx.write(sql.insertLane, { consumer, lane, jobId })

export const moveLane = (tx: Transaction, { consumer, lane, jobId }: Lane): void =>
  tx.write(sql.moveLane, { consumer, lane, jobId })

export const deleteLane = (tx: Transaction, { consumer, lane }: LaneKey): void =>
  tx.write(sql.deleteLane, { consumer, lane })

export const queueMessage = (tx: Transaction, { consumer, lane }: LaneKey, message: string): void =>
  tx.write(sql.queueMessage, { consumer, lane, message })

/** The oldest, as JSON, which is gone from the queue. */
export async function takeQueued(tx: Transaction, { consumer, lane }: LaneKey): Promise<string | undefined> {
  const [row] = await tx.read<{ message: string }>(sql.takeQueued, { consumer, lane })
  return row?.message
}

/** Lanes whose job ended without a consumer's report: cancelled, or lost with its workers. */
export async function listEndedLanes(db: Database, consumer: string, limit: number): Promise<Lane[]> {
  const rows = await db.query<{ lane: string; job_id: string }>(sql.listEndedLanes, { consumer, limit })
  return rows.map(({ lane, job_id }) => ({ consumer, lane, jobId: job_id }))
}
