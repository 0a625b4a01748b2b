// Typed access to timers.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { NewTimer } from "../../model/instances/plan.ts"
import type { ExecutionKey } from "../../support/ids.ts"

const sql = statements(import.meta.url, "timers", [
  "insertTimers",
  "deleteTimersOfSteps",
  "listDueTimers",
  "listDueAmong",
  "postponeTimers",
  "deleteTimers",
  "deleteOrphanTimers",
  "listTimers",
])

export interface TimerKey extends ExecutionKey {
  readonly timer: string
}

export function insertTimers(tx: Transaction, timers: readonly (NewTimer & { readonly instanceId: string })[]): void {
  tx.write(sql.insertTimers, {
    timers: timers.map((t) => ({
      instance_id: t.instanceId,
      execution: t.execution,
      timer: t.timer,
      due_in_ms: t.dueInMs,
    })),
  })
}

export function deleteTimersOfSteps(tx: Transaction, steps: readonly ExecutionKey[]): void {
  tx.write(sql.deleteTimersOfSteps, {
    steps: steps.map((s) => ({ instance_id: s.instanceId, execution: s.execution })),
  })
}

export async function listDueTimers(db: Database, limit: number): Promise<TimerKey[]> {
  const rows = await db.query<TimerRow>(sql.listDueTimers, { limit })
  return rows.map(toKey)
}

const toRow = ({ instanceId, execution, timer }: TimerKey) => ({ instance_id: instanceId, execution, timer })

/** The timers that are still there and due. The caller holds their instances, so nothing else can fire or end them. */
export async function listDueAmong(tx: Transaction, timers: readonly TimerKey[]): Promise<TimerKey[]> {
  const rows = await tx.read<TimerRow>(sql.listDueAmong, { timers: timers.map(toRow) })
  return rows.map(toKey)
}

export interface FailedTimer extends TimerKey {
  /** Null: it had to wait for another transaction, and has not failed. */
  readonly error: string | null
}

/** They keep their time and are tried again later: after a second, or after twice as long as the last time. */
export const postponeTimers = (tx: Transaction, timers: readonly FailedTimer[]): void =>
  tx.write(sql.postponeTimers, { timers: timers.map((timer) => ({ ...toRow(timer), error: timer.error })) })

export const deleteTimers = (tx: Transaction, timers: readonly TimerKey[]): void =>
  tx.write(sql.deleteTimers, { timers: timers.map(toRow) })

/** Deletes the timers whose instance is not live. */
export const deleteOrphanTimers = (tx: Transaction, timers: readonly TimerKey[]): void =>
  tx.write(sql.deleteOrphanTimers, { timers: timers.map(toRow) })

interface TimerRow extends Record<string, unknown> {
  readonly instance_id: string
  readonly execution: number
  readonly timer: string
}

const toKey = (row: TimerRow): TimerKey => ({
  instanceId: row.instance_id,
  execution: row.execution,
  timer: row.timer,
})

export interface PendingTimerRow extends Record<string, unknown> {
  readonly execution: number
  readonly timer: string
  readonly due_at: number
  readonly failures: number
  readonly last_error: string | null
  readonly retry_at: number | null
}

export const listTimers = (db: Database, instanceId: string): Promise<PendingTimerRow[]> =>
  db.query(sql.listTimers, { instanceId })
