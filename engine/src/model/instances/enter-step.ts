// Moves tokens: what happens when a token enters a step of each type, until every token waits, has met its join or has ended.
import { assert, unreachable } from "../../support/assert.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type {
  Decision,
  End,
  JoinGateway,
  ParallelGateway,
  ServiceTask,
  Step,
  Transformation,
  UserTask,
  Wait,
} from "../definitions/definition.ts"
import { evaluate } from "../definitions/expressions/evaluate.ts"
import { ExpressionError } from "../definitions/expressions/expression-error.ts"
import { appendHistory, type Draft, mergeVariables, record, setEntries } from "./draft.ts"
import { completeInstance, failInstance, settle } from "./finish.ts"
import type { CutStep, OpenStep } from "./instance.ts"
import type { NewUserTask } from "./plan.ts"
import { PlanAgain } from "./plan-again.ts"
import { route } from "./route.ts"
import { entryBytes, growthFault, writeFault } from "./variable-sizes.ts"

/** A token on its way into a step. */
export interface Token {
  readonly stepId: string
  readonly fork: number
  /** See `OpenStep`. */
  readonly effect?: number
}

const MAX_STEPS_PER_PLAN = 1_000
const MAX_EXECUTIONS = 100_000

/** Depth first, so that the immediate steps of one branch run before those of the next: the order of merges is the document's. */
export function moveTokens(draft: Draft, tokens: readonly Token[]): void {
  const waiting = [...tokens]
  for (let moved = 0; !draft.finish; moved++) {
    const token = waiting.shift()
    if (!token) break
    if (moved >= MAX_STEPS_PER_PLAN)
      failAt(draft, token, `more than ${MAX_STEPS_PER_PLAN} steps in one transaction: endless loop?`)
    else if (draft.executions >= MAX_EXECUTIONS) failAt(draft, token, `more than ${MAX_EXECUTIONS} step executions`)
    else waiting.unshift(...enterStep(draft, token))
  }
  if (!draft.finish) settle(draft)
  else if (draft.cut) keepWaiting(draft, draft.cut, waiting)
}

/** Tokens that had not moved yet when the instance failed are cut too, or a retry would lose their branch. */
function keepWaiting(draft: Draft, cut: readonly CutStep[], waiting: readonly Token[]): void {
  const attempt = (stepId: string) => draft.entries[stepId] ?? 0
  draft.cut = [...cut, ...waiting.map((t) => ({ ...t, attempt: attempt(t.stepId), failed: false }))]
}

function enterStep(draft: Draft, token: Token): readonly Token[] {
  const step = draft.definition.step(token.stepId)
  switch (step.type) {
    case "SERVICE_TASK":
      return enterServiceTask(draft, token, step)
    case "USER_TASK":
      return enterUserTask(draft, token, step)
    case "WAIT":
      return enterWait(draft, token, step)
    case "DECISION":
      return enterDecision(draft, token, step)
    case "TRANSFORMATION":
      return enterTransformation(draft, token, step)
    case "PARALLEL_GATEWAY":
      return enterFork(draft, token, step)
    case "JOIN_GATEWAY":
      return enterJoin(draft, token, step)
    case "END":
      return enterEnd(draft, token, step)
    /* v8 ignore next 2 -- the compiler knows that there is no other type */
    default:
      return unreachable(step)
  }
}

function enterServiceTask(draft: Draft, token: Token, step: ServiceTask): readonly Token[] {
  const { execution, effect } = park(draft, token, step)
  draft.newJobs.push({
    execution,
    ...(effect === undefined ? {} : { effect }),
    stepId: step.id,
    jobType: step.jobType,
    priority: step.priority ?? draft.instance.priority,
    downstream: step.downstream ?? "",
    retries: draft.definition.retryPolicy(step).retries,
    runMs: draft.definition.timeouts(step).runMs ?? null,
  })
  record(draft, "JOB_DISPATCHED", "engine", { stepId: step.id, via: draft.context.via ?? "polling" })
  return []
}

/** A signal that was kept for it ends the wait at once. One that has become too large stays kept, for a manual retry. */
function enterWait(draft: Draft, token: Token, step: Wait): readonly Token[] {
  const early = draft.kept.find(({ stepId }) => stepId === step.id)
  if (!early) {
    park(draft, token, step)
    return []
  }
  const fault = growthFault(draft, early.variables)
  if (fault !== undefined) return failAt(draft, token, `the signal that was kept for ${step.id} is too large: ${fault}`)
  draft.kept = draft.kept.filter((other) => other !== early)
  mergeVariables(draft, early.variables)
  passThrough(draft, token, step, early.variables)
  return [{ stepId: step.nextStep, fork: token.fork }]
}

function enterUserTask(draft: Draft, token: Token, step: UserTask): readonly Token[] {
  const { execution } = park(draft, token, step)
  const dueInMs = draft.definition.dueInMs(step)
  draft.newUserTasks.push({
    execution,
    stepId: step.id,
    name: step.name,
    ...(step.assignee === undefined ? {} : { assignee: step.assignee }),
    ...(step.assigneeGroup === undefined ? {} : { assigneeGroup: step.assigneeGroup }),
    ...(dueInMs === undefined ? {} : { dueInMs }),
  })
  return []
}

/** A task that a run asks for: no token stands at it, the run's job waits beside it. */
export function openUserTask(draft: Draft, stepId: string, task: Omit<NewUserTask, "execution" | "stepId">): void {
  const open = newExecution(draft, { stepId, fork: 0 })
  draft.open.push(open)
  draft.newUserTasks.push({ ...task, execution: open.execution, stepId })
}

function enterDecision(draft: Draft, token: Token, step: Decision): readonly Token[] {
  const routed = route(draft, step)
  if ("error" in routed) return failAt(draft, token, routed.error)
  assert(routed.next !== undefined, "a decision without a match is an error")
  passThrough(draft, token, step)
  return [{ stepId: routed.next, fork: token.fork }]
}

function enterTransformation(draft: Draft, token: Token, step: Transformation): readonly Token[] {
  const delta = transform(draft, step)
  if (typeof delta === "string") return failAt(draft, token, delta)
  mergeVariables(draft, delta)
  passThrough(draft, token, step, delta)
  return [{ stepId: step.nextStep, fork: token.fork }]
}

/** The new values, or why there are none: an expression fails, or the result is too large. */
function transform(draft: Draft, step: Transformation): JsonObject | string {
  try {
    const delta = assign(draft, step)
    const fault = growthFault(draft, delta)
    return fault === undefined ? delta : `transformation ${step.id}: ${fault}`
  } catch (error) {
    if (error instanceof PlanAgain) throw error
    assert(error instanceof ExpressionError, `an evaluation ends for a reason: ${error}`)
    return `transformation ${step.id}: ${error.message}`
  }
}

/** Every value is computed from the variables before the step. What is too large is not computed to its end. */
function assign(draft: Draft, step: Transformation): JsonObject {
  const { work, variables, context } = draft
  const values: [string, JsonValue][] = []
  let bytes = 0
  for (const a of draft.definition.assignments(step)) {
    const value = "expression" in a ? evaluate(a.expression, variables, { nowMs: context.nowMs, work }) : a.value
    bytes += entryBytes(a.name, value)
    const fault = writeFault(bytes, context.sizes)
    if (fault !== undefined) throw new ExpressionError(fault)
    values.push([a.name, value])
  }
  spendBytes(draft, bytes)
  return Object.fromEntries(values)
}

/** Each transformation is kept in the history: a loop of small ones adds up. */
function spendBytes(draft: Draft, bytes: number): void {
  draft.transformedBytes += bytes
  const most = draft.context.sizes.maxVariablesBytes
  if (draft.transformedBytes <= most) return
  draft.work.onSpent?.()
  throw new ExpressionError(`the transformations of one transaction write more than ${most} bytes: endless loop?`)
}

function enterFork(draft: Draft, token: Token, step: ParallelGateway): readonly Token[] {
  const { execution } = passThrough(draft, token, step)
  const branches = step.parallelNextSteps
  draft.forks.push({
    id: execution,
    joinStep: step.joinStep,
    branches: branches.length,
    arrived: 0,
    parent: token.fork,
  })
  return branches.map((stepId) => ({ stepId, fork: execution }))
}

/** Counts arrivals; the last one takes the fork away and goes on in the fork's own scope. */
function enterJoin(draft: Draft, token: Token, step: JoinGateway): readonly Token[] {
  const fork = draft.forks.find((candidate) => candidate.id === token.fork)
  assert(fork?.joinStep === step.id, `the token at join ${step.id} belongs to its fork`)
  const arrived = fork.arrived + 1
  if (arrived < fork.branches) {
    draft.forks = draft.forks.map((other) => (other === fork ? { ...fork, arrived } : other))
    return []
  }
  draft.forks = draft.forks.filter((other) => other !== fork)
  passThrough(draft, { ...token, fork: fork.parent }, step)
  return [{ stepId: step.nextStep, fork: fork.parent }]
}

/** Ends the instance, not the path alone: tokens that have not moved yet go with everything that is open. */
function enterEnd(draft: Draft, token: Token, step: End): readonly Token[] {
  passThrough(draft, token, step)
  completeInstance(draft)
  return []
}

function failAt(draft: Draft, token: Token, reason: string): readonly Token[] {
  const step = draft.definition.step(token.stepId)
  const open = newExecution(draft, token)
  appendHistory(draft, open, step, { status: "FAILED", reason })
  failInstance(draft, reason, [open])
  return []
}

/** The step counts as entered, and is not done here. */
export function passOver(draft: Draft, stepId: string): void {
  appendHistory(draft, newExecution(draft, { stepId, fork: 0 }), draft.definition.step(stepId), { status: "SKIPPED" })
}

/** Opens the step and starts its timers. */
function park(draft: Draft, token: Token, step: Step): OpenStep {
  const open = newExecution(draft, token)
  draft.open.push(open)
  draft.newTimers.push(...draft.definition.timers(step).map((timer) => ({ execution: open.execution, ...timer })))
  return open
}

/** A step that is done as soon as it is entered. */
function passThrough(draft: Draft, token: Token, step: Step, delta?: JsonObject): OpenStep {
  const open = newExecution(draft, token)
  appendHistory(draft, open, step, { status: "COMPLETED", delta })
  return open
}

function newExecution(draft: Draft, { stepId, fork, effect }: Token): OpenStep {
  draft.executions += 1
  return {
    execution: draft.executions,
    stepId,
    attempt: countEntry(draft, stepId),
    startedAt: draft.context.nowMs,
    fork,
    ...(effect === undefined ? {} : { effect }),
  }
}

/** Counted only where a step can be entered again, so that a long straight workflow does not carry a counter per step. */
function countEntry(draft: Draft, stepId: string): number {
  const attempt = (draft.entries[stepId] ?? 0) + 1
  if (draft.definition.mayRepeat || stepId in draft.entries) setEntries(draft, stepId, attempt)
  return attempt
}
