// Typed access to the watermarks of the gates.
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import type { GateName, Watermarks } from "../../model/flow/gate.ts"

const sql = statements(import.meta.url, "watermarks", ["setWatermarks", "listWatermarks"])

export interface WatermarkRow extends Record<string, unknown> {
  readonly name: GateName
  /** Null: as configured. */
  readonly high: number | null
  readonly low: number | null
}

export interface WatermarkViewRow extends WatermarkRow {
  readonly changed_at: number | null
  readonly changed_by: string | null
}

export interface NewWatermark {
  readonly name: GateName
  /** Undefined: as configured. */
  readonly marks: Watermarks | undefined
  readonly inForce: Watermarks
}

export interface TurnedRow extends Record<string, unknown> {
  readonly name: GateName
  readonly shut: boolean
}

/** Returns the gates whose marks have changed, and whether they are shut now. */
export const setWatermarks = (tx: Transaction, gates: readonly NewWatermark[]): Promise<TurnedRow[]> =>
  tx.read(sql.setWatermarks, {
    gates: gates.map(({ name, marks, inForce }) => ({
      name,
      high: marks?.high ?? null,
      low: marks?.low ?? null,
      high_in_force: inForce.high,
      low_in_force: inForce.low,
    })),
  })

export const listWatermarks = (reader: Reader): Promise<WatermarkViewRow[]> => reader.read(sql.listWatermarks)
