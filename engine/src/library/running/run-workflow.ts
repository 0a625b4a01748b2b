// One attempt at a run: takes the input, runs the list or the function, and says how it ended.

import { bytesOf } from "../../model/instances/variable-sizes.ts"
import { checkSize } from "../../operations/kernel/check-size.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { isPostponedByDatabase } from "../../operations/kernel/run-operation.ts"
import { listVersionsOf } from "../../operations/runs/list-versions.ts"
import { leaseLost, recordStepWithin } from "../../operations/runs/record-step.ts"
import { StepTransaction } from "../../operations/runs/step-transaction.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { StepElement } from "../authoring/elements.ts"
import type { GivenStep } from "../authoring/list-element.ts"
import { type StandardSchemaV1, validate } from "../authoring/standard-schema.ts"
import type { StepCall } from "../authoring/step-types.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { checkVariables } from "./check-input.ts"
import type { Failed, Outcome } from "./outcome.ts"
import { type ListRun, runList } from "./run-list.ts"
import { RunRecord } from "./run-record.ts"
import type { RunningJob } from "./running-job.ts"
import { causeOf, describeError, isLeaseLost, toFailure } from "./step-failure.ts"

/** What every attempt works with. */
export interface AttemptTools {
  readonly kernel: Kernel
  /** Connections that steps may hold while they run. */
  readonly stepDb: Kernel["db"]
  /** The version of the list as uploaded. */
  readonly listVersion: number
  /** Makes a workflow known before its first run. */
  readonly upload: (workflow: AnyWorkflow) => Promise<unknown>
  /** Whether the process dies now: asked when a step is on record and when an attempt is about to be reported. Only tests have it. */
  readonly diesAt?: DiesAt | undefined
}

export type DiesAt = (place: "recorded" | "reporting", what: string, job: RunningJob) => boolean

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
    if (isPostponedByDatabase(causeOf(error))) return away(job)
    const failure = toFailure(error, list.retry.retries === "unlimited", tools.kernel.random)
    logFailure(tools.kernel, job, error, failure)
    return failure
  }
}

/**
 * No fault of the run's. What of its last step has been written is seen at the next attempt; which comes later and later, because a
 * connection may break every time: a timeout of its session is one that waiting does not cure.
 */
const away = ({ attempt }: RunningJob): Outcome => ({
  verb: "park",
  waits: [],
  delayMs: 1_000 * 2 ** Math.min(attempt - 1, 6),
  reason: "the database did not answer",
})

/** What is stored is one line; where it came from is in the log. */
function logFailure(kernel: Kernel, job: RunningJob, err: unknown, { retryable }: Failed): void {
  const { instanceId, attempt } = job
  if (retryable) kernel.log.info({ err, instanceId, attempt }, "a run is tried again later")
  else kernel.log.warn({ err, instanceId, attempt }, "a run has failed")
}

const readInput = async (schema: StandardSchemaV1 | undefined, variables: JsonObject): Promise<JsonValue> =>
  (schema ? await validate(schema, variables) : variables) as JsonValue

export async function restart(
  { kernel, listVersion }: AttemptTools,
  list: AnyWorkflow,
  job: RunningJob,
  input: JsonValue,
  tx?: StepTransaction,
): Promise<Outcome> {
  const forgiven: ReturnType<typeof failedStep>[] = []
  const outcome = await runList(list.elements, {
    input,
    record: undefined,
    signal: job.signal,
    call: (element, context) => {
      const data = { input, context, ...(tx ? { tx } : {}) }
      const call = async () => resultOf(kernel, element, await element.run(argumentOf(kernel, job, element, data)))
      // The failure of a best-effort step must not take the others' transaction with it.
      return tx && element.bestEffort ? tx.attempt(call) : call()
    },
    forgive: async (element, error) => {
      forgiven.push({ ...failedStep(kernel, element, error), listVersion })
      warn(kernel, job, element, error)
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
  return runList(list.elements, resumeRun(tools, job, input, record))
}

export function openRecord({ kernel, listVersion, diesAt }: AttemptTools, job: RunningJob): Promise<RunRecord> {
  const { lease } = job
  const onRecorded = (step: string) => {
    if (diesAt?.("recorded", step, job)) throw leaseLost(lease)
  }
  return RunRecord.open({ kernel, lease, listVersion, inputBytes: bytesOf(job.variables), onRecorded })
}

async function belongsToNewer(
  { kernel, listVersion }: AttemptTools,
  list: AnyWorkflow,
  record: RunRecord,
): Promise<boolean> {
  return record.newestVersion > listVersion && (await listVersionsOf(kernel).isWorked(list.name, record.newestVersion))
}

function resumeRun(tools: AttemptTools, job: RunningJob, input: JsonValue, record: RunRecord): ListRun {
  const { kernel } = tools
  return {
    input,
    record,
    signal: job.signal,
    async call(element, context) {
      const tx = new StepTransaction(tools.stepDb)
      const startedAt = record.now()
      try {
        const value = resultOf(
          kernel,
          element,
          await element.run(argumentOf(kernel, job, element, { input, context, tx })),
        )
        const step = { name: element.name, status: "COMPLETED" as const, value: value ?? null, startedAt }
        await finishStep(tools, job, record, tx, step)
        return value
      } catch (error) {
        await tx.rollback()
        throw error
      }
    },
    async forgive(element, error) {
      await record.add(failedStep(kernel, element, error))
      warn(kernel, job, element, error)
    },
  }
}

/** What a step wrote and the record of it commit together; a step that wrote nothing shares a batch with others. */
export async function finishStep(
  tools: AttemptTools,
  job: RunningJob,
  record: RunRecord,
  tx: StepTransaction,
  step: Parameters<RunRecord["add"]>[0],
): Promise<void> {
  if (!tx.isOpen) return record.add(step)
  record.checkRoom(step)
  await recordStepWithin(tools.kernel, tx, job.lease, { ...step, listVersion: record.listVersion })
  await tx.commit()
  record.note(step)
}

interface StepData {
  readonly input: JsonValue
  readonly context: JsonObject
  readonly tx?: StepTransaction
}

/** The one argument of a step. */
const argumentOf = (kernel: Kernel, job: RunningJob, { name }: Pick<StepElement, "name">, data: StepData): GivenStep =>
  Object.assign(stepCallOf(kernel, job, name), data)

/** What every step is told besides its data. A logger is made when a step asks for it. */
export const stepCallOf = (kernel: Kernel, job: RunningJob, name: string): StepCall => ({
  key: `${job.instanceId}/${name}`,
  attempt: job.attempt,
  signal: job.signal,
  get log() {
    return kernel.log.child({ instanceId: job.instanceId, step: name })
  },
})

function resultOf({ settings }: Kernel, { name }: Pick<StepElement, "name">, value: unknown): JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  const what = `what ${name} returns`
  const result = checkVariables(value, what)
  checkSize(settings, JSON.stringify(result), what)
  return result
}

const failedStep = (kernel: Kernel, { name }: StepElement, error: unknown) => ({
  name,
  status: "FAILED" as const,
  error: describeError(error),
  startedAt: kernel.clock.nowMs(),
  listVersion: 0,
})

function warn(kernel: Kernel, job: RunningJob, { name }: StepElement, error: unknown): void {
  kernel.log.warn({ err: error, instanceId: job.instanceId, step: name }, "a best-effort step failed; the run goes on")
}
