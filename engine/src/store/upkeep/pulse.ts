// Typed access to the pulse and the leader terms it renews.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { GateName } from "../../model/flow/gate.ts"

const sql = statements(import.meta.url, "pulse", [
  "beat",
  "expectTerm",
  "resign",
  "retire",
  "forgetProcesses",
  "isListWorked",
  "isLed",
])

/** SQLSTATE raised by `expectTerm` when another process leads the loop. */
export const LOST_TERM = "MR002"

export interface BeatRequest {
  readonly processId: string
  /** Loops this process would lead. */
  readonly loops: readonly string[]
  readonly termMs: number
  /** Queues that were asked for since the last beat. */
  readonly polledQueues: readonly number[]
  /** Queues that workers wait for, and where to look in each. */
  readonly waitingQueues: readonly number[]
  readonly after: readonly number[]
  /** Leases that end before this have been swept. */
  readonly sweptUntilMs: number
  /** Sinks of events that this process can send to. */
  readonly sinks: readonly string[]
  /** Whether to look for dispatches that a relay has left. */
  readonly takesBack: boolean
  /** JSON: the version of each step list that this process works on. */
  readonly lists: string
  /** The version of the live settings that this process uses. */
  readonly liveVersion: number
}

export interface BeatRow extends Record<string, unknown> {
  readonly now: number
  /** JSON: the term of each loop this process leads. */
  readonly terms: string
  readonly others: number
  /** The sum of their marks; null while there are none. */
  readonly queues: number | null
  readonly live_version: number
  /** When any process was last seen before this beat. */
  readonly last_seen_at: number | null
  readonly has_limits: boolean
  readonly timer_due_at: number | null
  readonly lease_due_at: number | null
  /** No process is alive that is of a version before packs. */
  readonly all_know_packs: boolean
  readonly held_due_at: number | null
  readonly chain_due_at: number | null
  readonly request_due_at: number | null
  readonly schedule_due_at: number | null
  readonly bulk_waits: boolean
  readonly depths_wait: boolean
  readonly shut_gates: GateName[]
  readonly ready_queues: number[]
  /** The named sinks that have something to do. */
  readonly due_sinks: string[]
  /** False where it was not asked for. */
  readonly dispatches_left: boolean
}

export async function beat(db: Database, request: BeatRequest): Promise<BeatRow> {
  const { sweptUntilMs, ...values } = request
  const [row] = await db.query<BeatRow>(sql.beat, { ...values, sweptUntil: timestamp(sweptUntilMs) })
  return row as BeatRow
}

/** Fails the transaction when another process has taken the loop over: an old leader's write must not land. */
export async function expectTerm(tx: Transaction, loop: string, term: number): Promise<void> {
  await tx.read(sql.expectTerm, { loop, term })
}

export async function isListWorked(db: Database, name: string, version: number): Promise<boolean> {
  const [row] = await db.query<{ worked: boolean }>(sql.isListWorked, { name, version })
  return row?.worked ?? false
}

/** Whether any process leads the loop. */
export async function isLed(db: Database, loop: string): Promise<boolean> {
  const [row] = await db.query<{ led: boolean }>(sql.isLed, { loop })
  return row?.led ?? false
}

/** Lets others take over at once instead of waiting for the terms to run out. */
export async function resign(db: Database, processId: string): Promise<void> {
  await db.query(sql.resign, { processId })
  await db.query(sql.retire, { processId })
}

/** Processes that ended without saying so. */
export async function forgetProcesses(db: Database): Promise<void> {
  await db.query(sql.forgetProcesses)
}
