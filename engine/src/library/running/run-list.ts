// Runs a step list from top to bottom in this process. Restart: from the first step, nothing written between. Resume: past what is recorded.

import type { TimedCall } from "../../model/instances/plan.ts"
import type { Tries } from "../../model/jobs/step-attempts.ts"
import { parseIsoDuration } from "../../model/kernel/durations.ts"
import { assert } from "../../support/assert.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import { isA } from "../../support/thrown.ts"
import type { AnyWait, SignalElement, SleepElement, StepElement, TaskElement } from "../authoring/elements.ts"
import type { GivenStep, ListElement } from "../authoring/list-element.ts"
import {
  goElsewhere,
  park,
  passSignal,
  passSleep,
  type SignalWait,
  type Waited,
  WaitTimeout,
  waitAgain,
  wentTo,
} from "../authoring/wait-elements.ts"
import type { Outcome } from "./outcome.ts"
import type { RunRecord } from "./run-record.ts"
import { endsAttempt, StepFailure } from "./step-failure.ts"
import type { Judged } from "./tries/judge-error.ts"

/** A step whose needs the compiler has checked. */
export type CallableStep = StepElement<(argument: GivenStep) => unknown>

/** How the runner calls a step, and what it does when one is done. */
export interface ListRun {
  readonly input: JsonValue
  /** Undefined in a restart list: nothing is recorded before the end. */
  readonly record: RunRecord | undefined
  readonly signal: AbortSignal
  /** The time by the database's clock. */
  now(): number
  /** How often the step at this place has been tried before. */
  triesOf(element: CallableStep, at: number): Promise<Tries>
  /** What its retry rule makes of an error. */
  judge(element: CallableStep, error: unknown, failures: number): Judged
  /** Calls the function with its one argument; in a resume list it also records, together with what the step wrote. */
  call(element: CallableStep, context: JsonObject, attempt: number): Promise<JsonObject | undefined>
  /** A best-effort step failed. */
  forgive(element: StepElement, failure: StepFailure): Promise<void>
}

/** The context is built anew at every attempt: a step finds in it what the steps before it returned, this time or when they were recorded. */
export async function runList(elements: readonly ListElement[], run: ListRun): Promise<Outcome> {
  const context: JsonObject = {}
  const calls: TimedCall[] = []
  let skipTo: string | undefined
  for (const [at, element] of elements.entries()) {
    if (skipTo !== undefined && !namesOf(element).includes(skipTo)) continue
    run.signal.throwIfAborted()
    const passed = await pass(element, { run, at, context, calls })
    if ("wait" in passed) return park([passed.wait], tasksOf(elements.slice(0, at)))
    skipTo = "goTo" in passed ? passed.goTo : undefined
    if ("value" in passed) Object.assign(context, passed.value)
  }
  if (skipTo !== undefined) return missing(skipTo)
  return { verb: "complete", variables: context, ...(run.record ? {} : { detail: { calls } }) }
}

const MISSING_MS = 60_000

/** The code may have changed since the wait began: a worker whose list has the step may come. */
const missing = (name: string): Outcome => ({
  verb: "park",
  waits: [],
  delayMs: MISSING_MS,
  reason: `the list has no step ${name} to go on at now: bring it back, or name it in \`was\` of the one that replaced it`,
})

/** The list goes on behind the wait, or at a later step of this name. */
type Passed = Waited | { readonly goTo: string }

interface Place {
  readonly run: ListRun
  readonly at: number
  readonly context: JsonObject
  /** The steps that this attempt has called. */
  readonly calls: TimedCall[]
}

async function pass(element: ListElement, place: Place): Promise<Passed> {
  const { record } = place.run
  if (element.kind !== "step") return passWait(element, record as RunRecord)
  const done = recorded(element, record)
  if (done) return { value: done.status === "COMPLETED" ? done.value : undefined }
  return { value: await callStep(element, place) }
}

export const namesOf = ({ name, was }: ListElement): readonly string[] => [name, ...was]

const tasksOf = (elements: readonly ListElement[]): readonly string[] =>
  elements.filter(({ kind }) => kind === "task").flatMap(namesOf)

/** By name, or by one that it had before. */
function recorded(element: ListElement, record: RunRecord | undefined) {
  for (const name of record ? namesOf(element) : []) {
    const found = record?.find(name)
    if (found && found.status !== "WAITING") return found
  }
  return undefined
}

async function callStep(element: CallableStep, { run, at, context, calls }: Place): Promise<JsonObject | undefined> {
  const { attempt, failures } = await run.triesOf(element, at)
  const { name } = element
  const startedAt = run.now()
  try {
    const value = await run.call(element, context, attempt)
    calls.push({ name, startedAt, endedAt: run.now() })
    return value
  } catch (error) {
    // A best-effort step is tried again only if it says so itself.
    const judged = element.bestEffort && !element.retry ? {} : { judged: run.judge(element, error, failures) }
    const before = run.record ? {} : { calls }
    const failure = new StepFailure(name, error, { ...judged, ...before, startedAt })
    if (run.signal.aborted || endsAttempt(failure) || !element.bestEffort) throw failure
    await run.forgive(element, failure)
    return undefined
  }
}

/** What came goes under the name of its wait; nothing does where its time ran out. */
async function passWait(element: AnyWait, record: RunRecord): Promise<Passed> {
  // One that was begun under an old name is ended under it: there its time is, and its task.
  const name = namesOf(element).find((one) => record.find(one) !== undefined) ?? element.name
  record.describe(name, { kind: element.kind === "task" ? "user-task" : element.kind })
  if (element.kind === "sleep") return passSleep(record, { name, withinMs: lengthOf(element) })
  const goTo = wentTo(record, name)
  if (goTo !== undefined) return { goTo }
  try {
    const waited = await passSignal(record, signalWait(element, name))
    if ("wait" in waited || waited.value === undefined) return waited
    return { value: waited.value === null ? undefined : { [element.name]: waited.value } }
  } catch (error) {
    const late = isA(error, WaitTimeout) ? error : undefined
    if (late?.goTo !== undefined) return { goTo: await goElsewhere(record, name, late) }
    // The error was thrown in this file: its stack says nothing about the list.
    if (late) delete late.stack
    throw new StepFailure(element.name, error, { again: late ? [waitAgain(record, name)] : [] })
  }
}

function signalWait(element: SignalElement | TaskElement, name: string): SignalWait {
  const { within, onTimeout, schema } = element
  const wait = { name, withinMs: durationMs(within), onTimeout, schema }
  return element.kind === "signal"
    ? { ...wait, signal: element.signal }
    : { ...wait, signal: name, task: taskOf(element) }
}

function lengthOf({ name, duration }: SleepElement): number {
  const ms = durationMs(duration)
  assert(ms !== undefined, `the sleep ${name} has no length`)
  return ms
}

const durationMs = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : parseIsoDuration(text)

function taskOf({ name, assignee, group, dueIn }: TaskElement) {
  const dueInMs = durationMs(dueIn)
  return {
    name,
    ...(assignee === undefined ? {} : { assignee }),
    ...(group === undefined ? {} : { assigneeGroup: group }),
    ...(dueInMs === undefined ? {} : { dueInMs }),
  }
}
