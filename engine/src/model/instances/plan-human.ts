// What people and outside systems do to an instance: complete a user task, signal a wait, cancel, retry a failed step.
import { badRequest, conflict, notFound } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import type { StepType } from "../definitions/definition.ts"
import { checkVariables } from "../definitions/variable-schema.ts"
import { stepOfEnding } from "./child-ending.ts"
import { closeStep, closeUserTask, type Draft, findOpenByStep, mergeVariables, record, setEntries } from "./draft.ts"
import { moveTokens } from "./enter-step.ts"
import { cancelInstance, settle } from "./finish.ts"
import { isTerminal } from "./instance-machine.ts"
import { keepEarly } from "./keep-early.ts"
import { completeStep } from "./leave-step.ts"
import { startDeadline } from "./plan-start.ts"
import { bytesOf, refuseTooLarge, refuseTooMuchTold } from "./variable-sizes.ts"
import { wrongStep } from "./wrong-step.ts"

// Every refusal is thrown before the draft is touched: several events may share one draft.

export function planUserTaskCompleted(
  draft: Draft,
  stepId: string,
  result: JsonObject,
  by: string,
  actor: string,
): void {
  const step = expectStep(draft, stepId, "USER_TASK")
  const open = findOpenByStep(draft, stepId)
  // One that was opened in this draft has no row yet to complete; events of one draft are concurrent, so this one came first.
  if (!open || draft.newUserTasks.some((task) => task.execution === open.execution))
    throw notFound(`user task ${stepId} is not open`)
  const schema = "outputSchema" in step ? step.outputSchema : undefined
  const violations = schema ? checkVariables(schema, result, "$.variables") : []
  if (violations.length > 0) throw badRequest(`the result does not fit the output schema of ${stepId}`, violations)
  refuseTooLarge(draft, result)
  closeUserTask(draft, { execution: open.execution, status: "COMPLETED", completedBy: by })
  record(draft, "USER_TASK_COMPLETED", actor, { stepId, completedBy: by })
  if (!draft.definition.isList) return completeStep(draft, open, result)
  closeStep(draft, open, { status: "COMPLETED", delta: result })
  tellRun(draft, stepId, result)
  settle(draft)
}

export function planSignal(draft: Draft, stepId: string, variables: JsonObject, actor: string): void {
  const step = expectStep(draft, stepId, "WAIT")
  if (draft.definition.isList) {
    if (stepOfEnding(stepId) === undefined) refuseTooMuchTold(draft, variables)
    record(draft, "WAIT_SIGNALLED", actor, { stepId })
    return tellRun(draft, stepId, variables)
  }
  const open = findOpenByStep(draft, stepId)
  if (!open) return keepEarly(draft, step, { variables, actor })
  refuseTooLarge(draft, variables)
  record(draft, "WAIT_SIGNALLED", actor, { stepId })
  completeStep(draft, open, variables)
}

/** A run takes a signal when it comes to the wait. An early signal is kept, and the run waits on: only its job knows where it stands. */
function tellRun(draft: Draft, name: string, payload: JsonObject): void {
  draft.toldBytes += bytesOf(payload)
  draft.newSignals.push({ name, payload })
}

export function planCancel(draft: Draft, reason: string | undefined, actor: string): void {
  expectLive(draft)
  cancelInstance(draft, reason, actor)
}

export interface RetryChoice {
  /** Undefined is the step that failed the instance. */
  readonly stepId: string | undefined
  /** Merged into the variables first. */
  readonly variables: JsonObject | undefined
}

/** The step that failed the instance is entered again, and with it every step that was stopped by that failure. */
export function planRetry(draft: Draft, choice: RetryChoice, actor: string): void {
  const { variables } = choice
  const stepId = failedStep(draft, choice.stepId)
  if (variables) refuseTooLarge(draft, variables)
  // The failed step is one of them.
  const cut = draft.cut as NonNullable<Draft["cut"]>
  draft.cut = undefined
  draft.status = "ACTIVE"
  for (const step of cut)
    if (step.attempt > 0) setEntries(draft, step.stepId, Math.max(step.attempt, draft.entries[step.stepId] ?? 0))
  mergeVariables(draft, variables)
  record(draft, "STEP_RETRIED", actor, { stepId, ...(variables ? { variables } : {}) })
  startDeadline(draft)
  moveTokens(
    draft,
    cut.map(({ stepId, fork, effect }) => ({ stepId, fork, ...(effect === undefined ? {} : { effect }) })),
  )
}

/** The one that was named, or else the first: which step failed an instance is decided here alone. */
function failedStep({ definition, instance, cut = [] }: Draft, named: string | undefined): string {
  if (named !== undefined && !definition.hasStep(named)) throw notFound(`the definition has no step ${named}`)
  const failed = instance.status === "FAILED" ? cut.filter((step) => step.failed).map((step) => step.stepId) : []
  const [first] = failed
  if (first === undefined)
    throw conflict(`the instance is ${instance.status}: only the failed step of a FAILED instance can be retried`)
  if (named !== undefined && !failed.includes(named))
    throw conflict(`${named} is not the step that failed; retry ${failed.join(" or ")}`)
  return named ?? first
}

function expectStep(draft: Draft, stepId: string, type: StepType) {
  expectLive(draft)
  // What a run waits for is known to its worker alone: it may be a function, or a newer list than the run was started with.
  const { isList, hasStep } = draft.definition
  const step = isList && !hasStep(stepId) ? { id: stepId, type } : findStep(draft, stepId)
  if (step.type !== type) throw wrongStep(stepId, step.type, type)
  return step
}

function findStep(draft: Draft, stepId: string) {
  if (!draft.definition.hasStep(stepId)) throw notFound(`the definition has no step ${stepId}`)
  return draft.definition.step(stepId)
}

function expectLive(draft: Draft): void {
  if (isTerminal(draft.status)) throw conflict(`the instance is ${draft.status} already`)
}
