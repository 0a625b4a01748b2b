// Runs a step list from top to bottom in this process. Restart: from the first step, nothing written between. Resume: past what is recorded.

import { parseIsoDuration } from "../../model/kernel/durations.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { AnyWait, StepElement, TaskElement } from "../authoring/elements.ts"
import type { GivenStep, ListElement } from "../authoring/list-element.ts"
import { validate } from "../authoring/standard-schema.ts"
import { park, passSignal, passSleep, type Waited, waitAgain } from "../authoring/wait-elements.ts"
import type { Outcome } from "./outcome.ts"
import type { RunRecord } from "./run-record.ts"
import { endsAttempt, StepFailure } from "./step-failure.ts"

/** A step whose needs the compiler has checked. */
export type CallableStep = StepElement<(argument: GivenStep) => unknown>

/** How the runner calls a step, and what it does when one is done. */
export interface ListRun {
  readonly input: JsonValue
  /** Undefined in a restart list: nothing is recorded before the end. */
  readonly record: RunRecord | undefined
  readonly signal: AbortSignal
  /** Calls the function with its one argument; in a resume list it also records, together with what the step wrote. */
  call(element: CallableStep, context: JsonObject): Promise<JsonObject | undefined>
  /** A best-effort step failed. */
  forgive(element: StepElement, error: unknown): Promise<void>
}

/** The context is built anew at every attempt: a step finds in it what the steps before it returned, this time or when they were recorded. */
export async function runList(elements: readonly ListElement[], run: ListRun): Promise<Outcome> {
  const context: JsonObject = {}
  for (const [at, element] of elements.entries()) {
    run.signal.throwIfAborted()
    const passed = await pass(element, run, context)
    if ("wait" in passed) return park([passed.wait], tasksOf(elements.slice(0, at)))
    Object.assign(context, passed.value)
  }
  return { verb: "complete", variables: context }
}

async function pass(element: ListElement, run: ListRun, context: JsonObject): Promise<Waited> {
  const done = recorded(element, run.record)
  if (done) return { value: done.status === "COMPLETED" ? await asContext(element, done.value, run.record) : undefined }
  if (element.kind === "step") return { value: await callStep(element, run, context) }
  const waited = await wait(element, run.record as RunRecord)
  return "wait" in waited ? waited : { value: await asContext(element, waited.value, run.record) }
}

const namesOf = ({ name, was }: ListElement): readonly string[] => [name, ...was]

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

async function callStep(element: CallableStep, run: ListRun, context: JsonObject): Promise<JsonObject | undefined> {
  try {
    return await run.call(element, context)
  } catch (error) {
    if (run.signal.aborted || endsAttempt(error) || !element.bestEffort) throw new StepFailure(element.name, error)
    await run.forgive(element, error)
    return undefined
  }
}

async function wait(element: AnyWait, record: RunRecord): Promise<Waited> {
  // One that was begun under an old name is ended under it: there its time is, and its task.
  const name = namesOf(element).find((one) => record.find(one)?.status === "WAITING") ?? element.name
  if (element.kind === "sleep") return passSleep(record, { name, withinMs: durationMs(element.duration) })
  const withinMs = durationMs(element.within)
  if (element.kind === "signal") return passSignal(record, { name, withinMs, signal: element.signal })
  return passSignal(record, { name, withinMs, signal: name, task: taskOf(element) })
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

/** What a step returns is a map of values already; what a wait got goes under its name, unless its time ran out. */
async function asContext(
  element: ListElement,
  value: JsonValue | undefined,
  record: RunRecord | undefined,
): Promise<JsonObject | undefined> {
  if (element.kind === "step") return value as JsonObject | undefined
  if (element.kind === "sleep" || value === undefined || value === null) return undefined
  const { schema, name } = element
  try {
    return { [name]: (schema ? await validate(schema, value, name) : value) as JsonValue }
  } catch (error) {
    const done = namesOf(element).filter((one) => record?.find(one)?.status === "COMPLETED")
    throw new StepFailure(name, error, record ? done.map((one) => waitAgain(record, one)) : [])
  }
}
