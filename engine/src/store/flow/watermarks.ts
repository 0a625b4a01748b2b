// Typed access to the watermarks of the gates.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { GateName, Watermarks } from "../../model/flow/gate.ts"

const sql = statements(import.meta.url, "watermarks", ["setWatermarks", "listWatermarks"])

export interface WatermarkRow extends Record<string, unknown> {
  readonly name: GateName
  /** Null is the configuration's. */
  readonly high: number | null
  readonly low: number | null
}

export interface WatermarkViewRow extends WatermarkRow {
  readonly changed_at: number | null
  readonly changed_by: string | null
}

export interface NewWatermark {
  readonly name: GateName
  /** Undefined is the configuration's. */
  readonly marks: Watermarks | undefined
  readonly inForce: Watermarks
}

export interface TurnedRow extends Record<string, unknown> {
  readonly name: GateName
  readonly shut: boolean
}

/** Returns the gates that had others before, and how they stand now. */
export const setWatermarks = (tx: Transaction, gates: readonly NewWatermark[]): Promise<TurnedRow[]> =>
  tx.read(sql.setWatermarks, [
    gates.map(({ name }) => name),
    gates.map(({ marks }) => marks?.high ?? null),
    gates.map(({ marks }) => marks?.low ?? null),
    gates.map(({ inForce }) => inForce.high),
    gates.map(({ inForce }) => inForce.low),
  ])

export const listWatermarks = (db: Database): Promise<WatermarkViewRow[]> => db.query(sql.listWatermarks, [])
