// One attempt at a run: takes the input, runs the list or the function, and says how it ended.

import { bytesOf } from "../../model/instances/variable-sizes.ts"
import { checkSize } from "../../operations/kernel/check-size.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { isPostponedByDatabase } from "../../operations/kernel/run-operation.ts"
import { listVersionsOf } from "../../operations/runs/list-versions.ts"
import { leaseLost, recordStepWithin } from "../../operations/runs/record-step.ts"
import { StepTransaction } from "../../operations/runs/step-transaction.ts"
import { undoLateStep } from "../../operations/runs/undo-runs.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import { isA } from "../../support/thrown.ts"
import type { StepElement } from "../authoring/elements.ts"
import { type StandardSchemaV1, validate } from "../authoring/standard-schema.ts"
import type { StepCall, StepTx } from "../authoring/step-types.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { checkVariables } from "./check-input.ts"
import type { Failed, Outcome } from "./outcome.ts"
import { type ListRun, namesOf, runList } from "./run-list.ts"
import { RunRecord } from "./run-record.ts"
import type { RunningJob } from "./running-job.ts"
import { causeOf, describeError, isLeaseLost, StepFailure, stackOf, toFailure } from "./step-failure.ts"
import { callInTime, untilAborted } from "./tries/call-in-time.ts"
import { type Judged, judgeError } from "./tries/judge-error.ts"
import { StepTries } from "./tries/step-tries.ts"

/** What every attempt works with. */
export interface AttemptTools {
  readonly kernel: Kernel
  /** Connections that steps may hold while they run. */
  readonly stepDb: Kernel["db"]
  /** The version of the list as uploaded. */
  readonly listVersion: number
  /** Makes a workflow known before its first run. */
  readonly upload: (workflow: AnyWorkflow) => Promise<unknown>
  /** Makes the undo of a workflow known before the first step that has one is done. */
  readonly uploadUndo: (workflow: string) => Promise<unknown>
  /** Whether the process dies now: asked around every step, when one is on record, and before a report. Only tests have it. */
  readonly diesAt?: DiesAt | undefined
}

/** What is a step's name, or what an attempt is about to report. */
export type DiesAt = (place: "calling" | "called" | "recorded" | "reporting", what: string, job: RunningJob) => boolean

/** Undefined: the lease is gone, and with it the right to say anything. */
export async function attemptList(
  tools: AttemptTools,
  list: AnyWorkflow,
  job: RunningJob,
): Promise<Outcome | undefined> {
  const run = list.recover === "resume" ? resume : restart
  return runOrFail(tools, list, job, (input) => run(tools, list, job, input))
}

type RunWith = (input: JsonValue) => Promise<Outcome>

export async function runOrFail(
  tools: AttemptTools,
  list: AnyWorkflow,
  job: RunningJob,
  run: RunWith,
): Promise<Outcome | undefined> {
  const outcome = await outcomeOf(tools, list, job, run)
  return outcome && tools.diesAt?.("reporting", outcome.verb, job) ? undefined : outcome
}

/** An error is an outcome too. */
async function outcomeOf(
  tools: AttemptTools,
  list: AnyWorkflow,
  job: RunningJob,
  run: RunWith,
): Promise<Outcome | undefined> {
  try {
    return await run(await readInput(list.input, job.variables))
  } catch (error) {
    if (job.signal.aborted || isLeaseLost(error)) return undefined
    if (isPostponedByDatabase(causeOf(error))) return away(job, error)
    const failure = toFailure(error, { retry: list.retry, random: tools.kernel.random })
    logFailure(tools.kernel, job, error, failure)
    return failure
  }
}

/**
 * No fault of the run's. What of its last step has been written is seen at the next attempt; which comes later and later, because a
 * connection may break every time: a timeout of its session is one that waiting does not cure.
 */
const away = ({ attempt }: RunningJob, error: unknown): Outcome => ({
  verb: "park",
  waits: [],
  delayMs: 1_000 * 2 ** Math.min(attempt - 1, 6),
  reason: "the database did not answer",
  step: isA(error, StepFailure) ? error.step : undefined,
})

/** What is stored is one line; where it came from is in the log. */
function logFailure(kernel: Kernel, job: RunningJob, err: unknown, { retryable }: Failed): void {
  const { definitionId: workflow, instanceId, attempt } = job
  const fields = { err, workflow, instanceId, attempt }
  if (retryable) kernel.log.info(fields, "a run is tried again later")
  else kernel.log.warn(fields, "a run has failed")
}

const readInput = async (schema: StandardSchemaV1 | undefined, variables: JsonObject): Promise<JsonValue> =>
  (schema ? await validate(schema, variables) : variables) as JsonValue

/** What a step's retry rule, or that of its workflow, makes of an error. */
export const judgeStep =
  ({ retry: workflow }: AnyWorkflow, job: RunningJob) =>
  ({ retry: own }: Pick<StepElement, "retry">, error: unknown, failures: number): Judged => {
    const runLeft = workflow.retries === "unlimited" ? Number.POSITIVE_INFINITY : job.retriesRemaining
    return judgeError(error, { own, workflow, failures, runLeft })
  }

export async function restart(
  tools: AttemptTools,
  list: AnyWorkflow,
  job: RunningJob,
  input: JsonValue,
  tx?: StepTransaction,
): Promise<Outcome> {
  const { kernel, listVersion } = tools
  const forgiven: ReturnType<typeof failedStep>[] = []
  const tries = new StepTries(kernel, job)
  const caller = { tools, job, workflow: list }
  const outcome = await runList(list.elements, {
    input,
    record: undefined,
    signal: job.signal,
    now: () => kernel.clock.nowMs(),
    triesOf: (_, at) => tries.fromTop(at, list.elements.map(namesOf)),
    judge: judgeStep(list, job),
    call: (element, context, attempt) => {
      const data = { input, context, ...(tx ? { tx } : {}) }
      const call = async () => resultOf(kernel, element, await callStep(caller, element, { attempt, data }))
      // The failure of a best-effort step must not take the others' transaction with it.
      return tx && element.bestEffort ? tx.attempt(call) : call()
    },
    forgive: async (element, failure) => {
      forgiven.push({ ...failedStep(failure), listVersion })
      warn(kernel, job, element, failure)
    },
  })
  return outcome.verb === "complete" ? { ...outcome, steps: forgiven } : outcome
}

/** A worker of an older list leaves runs alone that a newer one has gone on with: its list may lack what they have behind them. */
const LEAVE_MS = 5_000

async function resume(tools: AttemptTools, list: AnyWorkflow, job: RunningJob, input: JsonValue): Promise<Outcome> {
  const record = await openRecord(tools, job)
  if (await belongsToNewer(tools, list, record))
    return { verb: "park", waits: [], delayMs: LEAVE_MS, reason: "a newer version of the list has this run" }
  return runList(list.elements, resumeRun(tools, { list, job, input, record }))
}

export function openRecord(tools: AttemptTools, job: RunningJob): Promise<RunRecord> {
  const { kernel, listVersion } = tools
  const onRecorded = (step: string) => dieOrGoOn(tools, "recorded", step, job)
  return RunRecord.open({ kernel, lease: job.lease, listVersion, inputBytes: bytesOf(job.variables), onRecorded })
}

/** A dead process is not heard of again: its lease is left to run out. */
function dieOrGoOn({ diesAt }: AttemptTools, ...[place, what, job]: Parameters<DiesAt>): void {
  if (diesAt?.(place, what, job)) throw leaseLost(job.lease)
}

async function belongsToNewer(
  { kernel, listVersion }: AttemptTools,
  list: AnyWorkflow,
  record: RunRecord,
): Promise<boolean> {
  return record.newestVersion > listVersion && (await listVersionsOf(kernel).isWorked(list.name, record.newestVersion))
}

interface Resumed {
  readonly list: AnyWorkflow
  readonly job: RunningJob
  readonly input: JsonValue
  readonly record: RunRecord
}

function resumeRun(tools: AttemptTools, { list, job, input, record }: Resumed): ListRun {
  const { kernel } = tools
  const tries = new StepTries(kernel, job)
  const caller = { tools, job, workflow: list }
  return {
    input,
    record,
    signal: job.signal,
    now: () => record.now(),
    triesOf: (element) => tries.onRecord(namesOf(element)),
    judge: judgeStep(list, job),
    async call(element, context, attempt) {
      const tx = new StepTransaction(tools.stepDb)
      const startedAt = record.now()
      try {
        const data = { input, context, tx }
        const value = resultOf(kernel, element, await callStep(caller, element, { attempt, data }))
        const undo = element.undo !== undefined
        const step = { name: element.name, status: "COMPLETED" as const, value: value ?? null, startedAt, undo }
        await finishStep(tools, job, record, tx, step)
        return value
      } catch (error) {
        await tx.rollback()
        throw error
      }
    },
    async forgive(element, failure) {
      await record.add(failedStep(failure))
      warn(kernel, job, element, failure)
    },
  }
}

/** A step that is done and cannot be recorded, because its run was ended meanwhile, is undone if it can be. */
export async function finishStep(
  tools: AttemptTools,
  job: RunningJob,
  record: RunRecord,
  tx: StepTransaction,
  step: Parameters<RunRecord["add"]>[0],
): Promise<void> {
  try {
    await recordDone(tools, job, { record, tx, step })
  } catch (error) {
    if (step.undo && isLeaseLost(error)) {
      await tx.rollback()
      await undoLateStep(tools.kernel, {
        instanceId: job.instanceId,
        step: { ...step, listVersion: record.listVersion },
      })
    }
    throw error
  }
}

interface DoneStep {
  readonly record: RunRecord
  readonly tx: StepTransaction
  readonly step: Parameters<RunRecord["add"]>[0]
}

/** What a step wrote and the record of it commit together; a step that wrote nothing shares a batch with others. */
async function recordDone(tools: AttemptTools, job: RunningJob, { record, tx, step }: DoneStep): Promise<void> {
  if (!tx.isOpen) return record.add(step)
  record.checkRoom(step)
  await recordStepWithin(tools.kernel, tx, job.lease, record.toRow(step))
  await tx.commit()
  record.note(step)
}

interface Caller {
  readonly tools: AttemptTools
  readonly job: RunningJob
  readonly workflow: AnyWorkflow
}

interface OneCall<Data> {
  readonly attempt: number
  readonly data: Data
}

interface Callable<Argument> extends Pick<StepElement, "name" | "timeoutMs"> {
  readonly run: (argument: Argument) => unknown
}

/** Calls a step with its one argument: the fields that every step gets, and its data. A logger is made when a step asks for it. */
export async function callStep<Data extends { readonly tx?: StepTx }>(
  { tools, job, workflow }: Caller,
  { name, run, timeoutMs = workflow.timeoutMs }: Callable<StepCall & Data>,
  { attempt, data }: OneCall<Data>,
): Promise<unknown> {
  dieOrGoOn(tools, "calling", name, job)
  const result = await callInTime({ signal: job.signal, timeoutMs }, (signal) => {
    const call: StepCall = {
      key: `${job.instanceId}/${name}`,
      attempt,
      signal,
      get log() {
        return tools.kernel.log.child({ instanceId: job.instanceId, step: name })
      },
    }
    const tx = data.tx && timeoutMs !== undefined ? { tx: untilAborted(data.tx, signal) } : {}
    return run(Object.assign(call, data, tx))
  })
  dieOrGoOn(tools, "called", name, job)
  return result
}

function resultOf({ settings }: Kernel, { name }: Pick<StepElement, "name">, value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  const what = `what ${name} returns`
  const result = checkVariables(value, what)
  checkSize(settings, JSON.stringify(result), what)
  return result
}

const failedStep = ({ step: name, cause, startedAt = 0 }: StepFailure) => ({
  name,
  status: "FAILED" as const,
  error: describeError(cause),
  detail: { stack: stackOf(cause) },
  startedAt,
  listVersion: 0,
})

function warn(kernel: Kernel, job: RunningJob, { name }: StepElement, { cause: err }: StepFailure): void {
  const { definitionId: workflow, instanceId } = job
  kernel.log.warn({ err, workflow, instanceId, step: name }, "a best-effort step failed; the run goes on")
}
