// How many jobs each downstream of a claim may be given: locked, shared out among its queues, and spent.

import type { Transaction } from "../../db/transaction.ts"
import { type Allowance, allowanceOf } from "../../model/flow/pace.ts"
import { type ClaimedRow, lockPaces, type PaceRow } from "../../store/jobs/claims.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { queuesOf } from "./queue-registry.ts"

export type Allowances = ReadonlyMap<string, Allowance>

interface Asked {
  readonly names: readonly string[]
  /** The commit waits for the disk. */
  readonly isDurable: boolean
}

/** Their rows are locked: no other process spends them until the transaction ends. */
export async function lockAllowances(
  tx: Transaction,
  { names, isDurable }: Asked,
  wanted: number,
): Promise<Allowances> {
  const rows = await lockPaces(tx, names, isDurable)
  return new Map(rows.map((row) => [row.name, allowanceOf(paceOf(row), wanted)]))
}

/** Reduces the quota to what is left of the downstream's allowance, and takes that from the allowance. */
export function takeAllowance(left: Map<string, number>, downstream: string, quota: number): number {
  const allowed = left.get(downstream)
  if (allowed === undefined) return quota
  const count = Math.min(allowed, quota)
  left.set(downstream, allowed - count)
  return count
}

const paceOf = (row: PaceRow) => ({
  perSecond: row.per_second,
  concurrency: row.concurrency,
  share: row.share,
  slowedMsAgo: row.slowed_ms_ago,
  savedMs: row.saved_ms,
  closedMs: row.closed_ms,
  inFlight: row.in_flight,
})

export function countByDownstream(kernel: Kernel, rows: readonly ClaimedRow[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { queue_id } of rows) {
    const name = queuesOf(kernel).of(queue_id)?.downstream ?? ""
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

export const spendingsOf = (allowances: Allowances, spent: ReadonlyMap<string, number>) =>
  [...allowances].flatMap(([name, { costMs, sliceMs }]) => {
    const count = spent.get(name) ?? 0
    return count > 0 && costMs > 0 ? [{ name, sliceMs, spentMs: count * costMs }] : []
  })
