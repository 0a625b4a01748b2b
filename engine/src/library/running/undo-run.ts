// One attempt at an undo run: calls the undos of the steps that were done, the last one first, each once it has succeeded.
import { type CarriedStep, inOrderOfUndoing, type UndoInput } from "../../model/instances/undo.ts"
import { StepTransaction } from "../../operations/runs/step-transaction.ts"
import { isA } from "../../support/thrown.ts"
import { NonRetryableError } from "../authoring/retries/error-kind.ts"
import { RetryableError } from "../authoring/retryable-error.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import { type UndoFunction, type Undos, undosOfFunction } from "./function-form/undo-replay.ts"
import type { Outcome } from "./outcome.ts"
import type { RunRecord } from "./run-record.ts"
import { type AttemptTools, callStep, finishStep, openRecord, runOrFail } from "./run-workflow.ts"
import type { RunningJob } from "./running-job.ts"
import { describeError, endsAttempt, StepFailure } from "./step-failure.ts"

/** How long an undo waits for a worker whose code has it. */
const MISSING_MS = 60_000
const BACKOFF = { baseDelay: 1_000, maxDelay: 3_600_000 } as const

/** Undefined: the lease is gone, and with it the right to say anything. */
export function attemptUndo(tools: AttemptTools, workflow: AnyWorkflow, job: RunningJob): Promise<Outcome | undefined> {
  const { input: _, ...judged } = workflow
  return runOrFail(tools, judged as AnyWorkflow, job, async () => {
    const given = job.variables as UndoInput
    const steps = given.steps as unknown as readonly CarriedStep[]
    const undos = workflow.kind === "function" ? await undosOfFunction(workflow, given) : undosOfList(workflow)
    return undoAll(
      { tools, workflow, job, given, undos, record: await openRecord(tools, job) },
      inOrderOfUndoing(steps),
    )
  })
}

function undosOfList({ elements }: AnyWorkflow): Undos {
  const undos = new Map<string, UndoFunction>()
  for (const element of elements)
    if (element.kind === "step" && element.undo)
      for (const name of [element.name, ...element.was]) undos.set(name, element.undo as UndoFunction)
  return undos
}

interface Undoing {
  readonly tools: AttemptTools
  readonly workflow: AnyWorkflow
  readonly job: RunningJob
  readonly given: UndoInput
  readonly undos: Undos
  readonly record: RunRecord
}

async function undoAll(undoing: Undoing, steps: readonly CarriedStep[]): Promise<Outcome> {
  const left = steps.filter(({ name }) => undoing.record.find(name)?.status !== "COMPLETED")
  for (const step of left) {
    undoing.job.signal.throwIfAborted()
    const undo = undoing.undos.get(step.name)
    if (undo === undefined) return missing(step.name)
    await undoOne(undoing, step, undo)
  }
  return { verb: "complete", variables: { undone: steps.map(({ name }) => name) } }
}

/** The code may have changed since: a worker with the undo may come, and nothing before this step is undone without it. */
const missing = (name: string): Outcome => ({
  verb: "park",
  waits: [],
  delayMs: MISSING_MS,
  reason: `the code has no undo of ${name} now: bring it back, or name the step in \`was\` of the one that replaced it`,
})

async function undoOne(undoing: Undoing, step: CarriedStep, undo: UndoFunction): Promise<void> {
  const { tools, workflow, job, given, record } = undoing
  const tx = new StepTransaction(tools.stepDb)
  const startedAt = record.now()
  const { name, value: result = null } = step
  try {
    const data = { result: result as never, input: given.input, stepKey: `${given.undoes}/${name}`, tx }
    const caller = { tools, job, workflow }
    await callStep(caller, { name, run: undo }, { attempt: job.attempt, data })
    await finishStep(tools, job, record, tx, { name, status: "COMPLETED", value: null, startedAt })
  } catch (error) {
    await tx.rollback()
    throw endsAttempt(error) ? error : new StepFailure(name, retryable(error))
  }
}

/** An undo that fails is tried again whatever it has thrown, unless it says that this is of no use. */
function retryable(cause: unknown): unknown {
  if (isA(cause, RetryableError) || isA(cause, NonRetryableError)) return cause
  return new RetryableError(describeError(cause), { ...BACKOFF, cause })
}
