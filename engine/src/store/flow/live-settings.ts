// Typed access to what operators change while the engine runs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"

const sql = statements(import.meta.url, "live-settings", [
  "readLive",
  "countChange",
  "isLiveEverywhere",
  "noteSeen",
  "pruneChanges",
  "setLive",
  "replaceLive",
  "deleteLive",
  "findWeightsChange",
])

export type PauseKind = "queue" | "jobType" | "definition" | "downstream"

export interface Pause {
  readonly kind: PauseKind
  readonly name: string
  readonly reason: string | null
  readonly by: string
  readonly at: number
}

export interface DownstreamLimits {
  readonly name: string
  readonly perSecond: number | null
  readonly concurrency: number | null
  readonly adaptive: boolean
}

export interface LiveRow extends Record<string, unknown> {
  readonly version: number
  /** JSON, as all the others; null where they are as configured. */
  readonly weights: string | null
  readonly pauses: string
  readonly downstreams: string
  readonly job_types: string
}

export async function readLive(db: Database): Promise<LiveRow> {
  const [row] = await db.query<LiveRow>(sql.readLive)
  return row as LiveRow
}

export interface Change {
  readonly actor: string
  readonly kind: string
  readonly name: string
  readonly detail?: unknown
  readonly at: number
}

/** Makes every process read the settings again. `onVersion` gets their new version. */
export function countChange(tx: Transaction, change: Change, onVersion: (version: number) => void): void {
  const { actor, kind, name, detail, at } = change
  const values = { actor, kind, name, detail: detail === undefined ? null : JSON.stringify(detail), at: timestamp(at) }
  tx.write<{ version: number }>(sql.countChange, values, ([row]) => onVersion(row?.version ?? 0))
}

/** Whether every other process that is alive has read that version. */
export async function isLiveEverywhere(db: Database, version: number, processId: string): Promise<boolean> {
  const [row] = await db.query<{ everywhere: boolean }>(sql.isLiveEverywhere, { version, processId })
  return row?.everywhere ?? false
}

/** Noted at once, so that the caller of the change need not wait for this process's next beat. */
export async function noteSeen(db: Database, processId: string, version: number): Promise<void> {
  await db.query(sql.noteSeen, { processId, version })
}

export async function pruneChanges(db: Database, retainMs: number): Promise<void> {
  await db.query(sql.pruneChanges, { retainMs })
}

export const setLive = (tx: Transaction, name: string, value: unknown, actor: string): void =>
  tx.write(sql.setLive, { name, value: JSON.stringify(value), actor })

export interface Replacement {
  readonly name: string
  readonly value: unknown
  /** What the caller has seen; undefined where there was nothing. */
  readonly seen: unknown
  readonly actor: string
}

/** False where it is not what was seen any more. */
export async function replaceLive(tx: Transaction, { name, value, seen, actor }: Replacement): Promise<boolean> {
  const values = { name, value: JSON.stringify(value), seen: seen === undefined ? null : JSON.stringify(seen), actor }
  return (await tx.read(sql.replaceLive, values)).length === 1
}

export const deleteLive = (tx: Transaction, name: string): void => tx.write(sql.deleteLive, { name })

export interface ChangeRow extends Record<string, unknown> {
  readonly at: number
  readonly actor: string
}

/** Who chose the weights last, or took the choice back; undefined when that was never, or too long ago. */
export async function findWeightsChange(db: Database): Promise<ChangeRow | undefined> {
  const [row] = await db.query<ChangeRow>(sql.findWeightsChange)
  return row
}
