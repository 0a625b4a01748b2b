// Steps that wait: for a time, a signal or a person. Each looks whether its wait is over, and if not, says how the run is to be parked.

import type { NewUserTask, RunStep } from "../../model/instances/plan.ts"
import type { ParkedWait } from "../../model/instances/plan-parking.ts"
import { shortDuration } from "../../model/kernel/durations.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { Parked } from "../running/outcome.ts"
import type { RunRecord } from "../running/run-record.ts"
import { isGoTo, type OnListTimeout } from "./on-timeout.ts"
import { NonRetryableError } from "./retries/error-kind.ts"
import { judge, listViolations, type StandardSchemaV1 } from "./standard-schema.ts"

export interface SleepWait {
  readonly name: string
  readonly withinMs: number
}

export interface SignalWait {
  readonly name: string
  /** Undefined: for as long as it takes. */
  readonly withinMs: number | undefined
  readonly signal: string
  readonly onTimeout?: OnListTimeout | undefined
  /** What does not fit is refused, and waited for again. */
  readonly schema?: StandardSchemaV1 | undefined
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
export async function passSleep(record: RunRecord, { name, withinMs }: SleepWait): Promise<Waited> {
  if (record.find(name)?.status === "COMPLETED") return { value: undefined }
  const until = openWait(record, name)?.until ?? record.now() + withinMs
  const leftMs = until - record.now()
  if (leftMs > 0) return { wait: { step: waiting(record, name, { until, signal: null }), leftMs } }
  await record.add({ name, status: "COMPLETED", value: null, startedAt: record.now() })
  return { value: undefined }
}

/** A signal that came early was kept. Null is what a wait gets that was not answered in time, where the run goes on then. */
export async function passSignal(record: RunRecord, given: SignalWait): Promise<Waited> {
  const found = record.find(given.name)
  // One that waits already was parked for its signal: no other wakes it, also where the code names another by now.
  const wait = { ...given, signal: openWait(record, given.name)?.signal ?? given.signal }
  const limits = limitsOf(record, wait)
  const passed = found?.status === "COMPLETED" ? await accept(record, wait, limits, found.value ?? null) : undefined
  return passed ?? hear(record, wait, limits)
}

/** Takes what has come, the oldest first, until one of them fits. */
async function hear(record: RunRecord, wait: SignalWait, limits: WaitLimits): Promise<Waited> {
  for (;;) {
    const payload = await record.takeSignal(wait.signal, wait.name)
    if (payload === undefined) return notYet(record, wait, limits)
    const passed = await accept(record, wait, limits, payload)
    if (passed) return passed
  }
}

/** What does not fit is on record as refused, and the run waits on, for as long as it would have without it. */
async function accept(record: RunRecord, wait: SignalWait, limits: WaitLimits, payload: JsonValue) {
  if (payload === null || !wait.schema) return { value: payload }
  const judged = await judge(wait.schema, payload)
  if ("value" in judged) return { value: judged.value as JsonValue }
  const reason = `refused, because it does not fit its schema: ${listViolations(judged.violations)}`
  await record.refuse(waiting(record, wait.name, openValue(wait, limits)), reason)
  return undefined
}

/** Its time is over, or the run is to wait. */
async function notYet(record: RunRecord, wait: SignalWait, limits: WaitLimits): Promise<Waited> {
  const { name, signal: waitsFor, task } = wait
  const leftMs = limits.until === null ? null : limits.until - record.now()
  if (leftMs === null || leftMs > 0)
    return { wait: { step: waiting(record, name, openValue(wait, limits)), leftMs, waitsFor, task } }
  if (limits.onTimeout !== "continue") throw new WaitTimeout(wait.withinMs, targetOf(limits))
  await record.add({ name, status: "COMPLETED", value: null, startedAt: record.now() })
  return { value: null }
}

const targetOf = ({ onTimeout }: WaitLimits): string | undefined => (isGoTo(onTimeout) ? onTimeout.goTo : undefined)

/** No retry policy helps here: a run that is retried by hand waits anew. */
export class WaitTimeout extends NonRetryableError {
  /** The step that the list goes to; undefined: the run fails. */
  readonly goTo: string | undefined

  constructor(withinMs: number | undefined, goTo: string | undefined) {
    super(`was not answered ${withinMs === undefined ? "in time" : `within ${shortDuration(withinMs)}`}`)
    this.goTo = goTo
  }
}

interface WaitLimits {
  readonly until: number | null
  readonly onTimeout: OnListTimeout
}

/** Fixed when the run comes to it first: one that waits already keeps what it was parked with, whatever the code says now. */
function limitsOf(record: RunRecord, { name, withinMs, onTimeout = "fail" }: SignalWait): WaitLimits {
  const open = openWait(record, name)
  // Before a wait could say it, a run went on.
  if (open) return { until: open.until, onTimeout: open.onTimeout ?? "continue" }
  const found = record.find(name)
  const since = found?.status === "COMPLETED" ? found.startedAt : record.now()
  return { until: withinMs === undefined ? null : since + withinMs, onTimeout }
}

function openWait(record: RunRecord, name: string): OpenWaitValue | undefined {
  const found = record.find(name)
  const value = found?.status === "WAITING" ? (found.value as Partial<OpenWaitValue>) : undefined
  return value?.until === undefined ? undefined : (value as OpenWaitValue)
}

/** Its time was over at an attempt before, and the list went on at the step of this name. */
export function wentTo(record: RunRecord, name: string): string | undefined {
  const found = record.find(name)
  return found?.status === "FAILED" && isGoTo(found.value) ? found.value.goTo : undefined
}

/** On record for good: the same way is taken at every attempt, whatever the code says by then. */
export async function goElsewhere(record: RunRecord, name: string, late: WaitTimeout): Promise<string> {
  const goTo = late.goTo as string
  const error = `${late.message}: the list went on at ${goTo}`
  await record.add({ name, status: "FAILED", value: { goTo }, error, startedAt: record.now() })
  return goTo
}

/** Done and on record, and to be waited for once more, from the beginning. */
export const waitAgain = (record: RunRecord, name: string): RunStep => ({
  name,
  status: "WAITING",
  value: {},
  listVersion: record.listVersion,
  startedAt: record.now(),
})

/** Until when the run waits, and for which signal. The reasons why a run does not move are read from here. */
interface OpenWaitValue extends JsonObject {
  readonly until: number | null
  /** Null: it sleeps. */
  readonly signal: string | null
  readonly onTimeout?: OnListTimeout
}

const openValue = ({ signal }: SignalWait, { until, onTimeout }: WaitLimits): OpenWaitValue =>
  until === null ? { until, signal } : { until, signal, onTimeout }

const waiting = (record: RunRecord, name: string, value: OpenWaitValue): RunStep =>
  record.toRow({
    name,
    status: "WAITING",
    value,
    // What was refused last stays to be seen until the wait is over.
    error: record.find(name)?.error,
    startedAt: record.now(),
  })
