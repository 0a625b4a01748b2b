// Steps that wait: for a time, a signal or a person. Each looks whether its wait is over, and if not, says how the run is to be parked.

import type { NewUserTask, RunStep } from "../../model/instances/plan.ts"
import type { ParkedWait } from "../../model/instances/plan-parking.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { Parked } from "../running/outcome.ts"
import type { RunRecord } from "../running/run-record.ts"

export interface Wait {
  readonly name: string
  /** Undefined: for as long as it takes. */
  readonly withinMs: number | undefined
}

export interface SignalWait extends Wait {
  readonly signal: string
  readonly task?: Omit<NewUserTask, "execution" | "stepId">
}

/** Over, with what came; or not, with how the run is to wait and until when. */
export type Waited = { readonly value: JsonValue | undefined } | { readonly wait: OpenWait }

export interface OpenWait extends ParkedWait {
  /** Null: until its signal comes. */
  readonly leftMs: number | null
}

/** Parked until the first of them is over. `over`: tasks that the run has behind it. */
export function park(waits: readonly OpenWait[], over: readonly string[]): Parked {
  const times = waits.flatMap(({ leftMs }) => leftMs ?? [])
  return { verb: "park", waits, over, delayMs: times.length > 0 ? Math.min(...times) : null }
}

/** How long it was to be is fixed when the run comes to it first. */
export async function passSleep(record: RunRecord, { name, withinMs = 0 }: Wait): Promise<Waited> {
  const until = untilOf(record, name) ?? record.now() + withinMs
  const leftMs = until - record.now()
  if (leftMs > 0) return { wait: { step: waiting(record, name, { until, signal: null }), leftMs } }
  await record.add({ name, status: "COMPLETED", value: null, startedAt: record.now() })
  return { value: undefined }
}

/** A signal that came early was kept. Null is what a wait that was not answered in time gets. */
export async function passSignal(record: RunRecord, wait: SignalWait): Promise<Waited> {
  const { name, signal, task } = wait
  const payload = await record.takeSignal(signal, name)
  if (payload !== undefined) return { value: payload }
  const until = untilOf(record, name) ?? (wait.withinMs === undefined ? null : record.now() + wait.withinMs)
  const leftMs = until === null ? null : until - record.now()
  if (leftMs !== null && leftMs <= 0) {
    await record.add({ name, status: "COMPLETED", value: null, startedAt: record.now() })
    return { value: null }
  }
  return { wait: { step: waiting(record, name, { until, signal }), leftMs, waitsFor: signal, task } }
}

function untilOf(record: RunRecord, name: string): number | null | undefined {
  const waiting = record.find(name)
  return waiting?.status === "WAITING" ? (waiting.value as { until?: number | null }).until : undefined
}

/** Done and on record, and to be waited for once more: what came cannot be used. */
export const waitAgain = (record: RunRecord, name: string): RunStep => ({
  name,
  status: "WAITING",
  value: {},
  listVersion: record.listVersion,
  startedAt: record.now(),
})

/** Until when, and for which signal: what is told of a run that does not move is read from here. */
interface OpenWaitValue extends JsonObject {
  readonly until: number | null
  /** Null: it sleeps. */
  readonly signal: string | null
}

const waiting = (record: RunRecord, name: string, value: OpenWaitValue): RunStep => ({
  name,
  status: "WAITING",
  value,
  listVersion: record.listVersion,
  startedAt: record.now(),
})
