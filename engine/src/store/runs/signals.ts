// Typed access to the signals of runs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { RunStepDetail } from "../../model/instances/plan.ts"
import type { JsonValue } from "../../support/json.ts"
import type { HeldLease } from "../jobs/jobs.ts"

const sql = statements(import.meta.url, "signals", ["insertSignals", "releaseSignalled", "takeSignal"])

export interface NewSignalRow {
  readonly instanceId: string
  readonly name: string
  readonly payload: JsonValue
  readonly receivedAt: number
}

export function insertSignals(tx: Transaction, signals: readonly NewSignalRow[]): void {
  tx.write(sql.insertSignals, {
    signals: signals.map((s) => ({
      instance_id: s.instanceId,
      name: s.name,
      payload: JSON.stringify(s.payload),
      received_at: timestamp(s.receivedAt),
    })),
  })
}

/** Jobs that were parked for these signals are ready again. Tells which queues got some. */
export function releaseSignalled(
  tx: Transaction,
  signals: readonly Pick<NewSignalRow, "instanceId" | "name">[],
  onQueues: (queueIds: readonly number[]) => void,
): void {
  const values = { signals: signals.map(({ instanceId, name }) => ({ instance_id: instanceId, name })) }
  tx.write<{ queue_id: number }>(sql.releaseSignalled, values, (rows) => onQueues(rows.map((row) => row.queue_id)))
}

export interface SignalWanted extends HeldLease {
  readonly name: string
  readonly step: string
  readonly listVersion: number
  readonly startedAt: number
  readonly detail: RunStepDetail | undefined
}

/** `held` is whether the lease was good; a payload is there when a signal was. */
export interface SignalTaken {
  readonly held: boolean
  readonly payload?: JsonValue
}

/** The oldest signal of that name that no step has taken yet, recorded as what the step got. */
export async function takeSignal(db: Database, wanted: SignalWanted): Promise<SignalTaken> {
  const { instanceId, execution, epoch, nonce, name, step, listVersion, startedAt, detail } = wanted
  const [row] = await db.query<{ held: boolean; payload: string | null }>(sql.takeSignal, {
    instanceId,
    execution,
    epoch,
    nonce,
    name,
    step,
    listVersion,
    startedAt: timestamp(startedAt),
    detail: detail ? JSON.stringify(detail) : null,
  })
  const payload = row?.payload == null ? {} : { payload: JSON.parse(row.payload) as JsonValue }
  return { held: row?.held ?? false, ...payload }
}
