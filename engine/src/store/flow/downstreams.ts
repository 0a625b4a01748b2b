// Typed access to downstreams, for those who change and watch them.
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import type { DownstreamLimits } from "./live-settings.ts"

const sql = statements(import.meta.url, "downstreams", ["setDownstream", "deleteDownstream", "listDownstreams"])

/** True where its limits were different before. */
export async function setDownstream(tx: Transaction, limits: DownstreamLimits): Promise<boolean> {
  const { name, perSecond, concurrency, adaptive } = limits
  return (await tx.read(sql.setDownstream, { name, perSecond, concurrency, adaptive })).length > 0
}

/** True where it had limits. */
export async function deleteDownstream(tx: Transaction, name: string): Promise<boolean> {
  return (await tx.read(sql.deleteDownstream, { name })).length > 0
}

export interface DownstreamRow extends Record<string, unknown> {
  readonly name: string
  readonly per_second: number | null
  readonly concurrency: number | null
  readonly adaptive: boolean
  /** The share of its pace that it was slowed to when it pushed back last. */
  readonly share: number
  readonly slowed_at: number | null
  readonly closed_until: number | null
  readonly in_flight: number
  /** Ready jobs, counted to the limit. */
  readonly waiting: number
  readonly changed_at: number | null
  readonly changed_by: string | null
  readonly now: number
}

/** The downstreams that have limits and those that jobs have named, or the one with the given name. */
export const listDownstreams = (reader: Reader, name: string | null, countTo: number): Promise<DownstreamRow[]> =>
  reader.read(sql.listDownstreams, { name, countTo })
