// A plan in the making: the planners change a draft step by step, `finishDraft` turns it into a plan.
import { assert } from "../../support/assert.ts"
import type { JsonObject, JsonValue } from "../../support/json.ts"
import type { CompiledDefinition } from "../definitions/compile-definition.ts"
import type { Step } from "../definitions/definition.ts"
import { newWorkBudget, type WorkBudget } from "../definitions/expressions/work-budget.ts"
import type { Awaiting, CutStep, Fork, Instance, InstanceState, KeptSignal, OpenStep } from "./instance.ts"
import type { InstanceStatus } from "./instance-machine.ts"
import type {
  AuditEntry,
  AuditKind,
  ClosedStep,
  ClosedUserTask,
  DeadJob,
  EndedAttempt,
  Ending,
  Finish,
  FiredTimer,
  NewJob,
  NewSignal,
  NewTimer,
  NewUserTask,
  NextWorkflow,
  Plan,
  ReportRecord,
  RequeuedJob,
  RunStep,
  SpentRetry,
} from "./plan.ts"
import { TooMuchTogether } from "./plan-again.ts"
import type { ClosedStepStatus } from "./step-machine.ts"
import { noteWritten, type SizeLimits } from "./variable-sizes.ts"

/** What a plan may know of the world. Time and random numbers are passed in, so that a plan is a pure function. */
export interface PlanContext {
  /** Database time, epoch milliseconds: the plan's time, and what `now()` says. */
  readonly nowMs: number
  /** In [0, 1): for jitter. */
  readonly random: () => number
  readonly maxLostLeases: number
  readonly sizes: SizeLimits
  /** How jobs reach their workers, for the audit trail; polling unless it is said. */
  readonly via?: "polling" | "kafka_outbox"
}

export interface Draft {
  readonly definition: CompiledDefinition
  readonly instance: Instance
  readonly context: PlanContext
  status: InstanceStatus
  open: OpenStep[]
  forks: Fork[]
  entries: Record<string, number>
  executions: number
  cut: readonly CutStep[] | undefined
  kept: readonly KeptSignal[]
  readonly awaitedBy: Awaiting | undefined
  variables: JsonObject
  boundBytes: number
  toldBytes: number
  exactBytes: number | undefined
  /** What this plan writes in transformations, and the work of its expressions that is left. */
  transformedBytes: number
  readonly work: WorkBudget
  delta: JsonObject | undefined
  version: number
  finish: Finish | undefined
  next: NextWorkflow | undefined
  ending: Ending | undefined
  readonly closedSteps: ClosedStep[]
  newJobs: NewJob[]
  requeuedJobs: RequeuedJob[]
  readonly spentRetries: SpentRetry[]
  readonly endedAttempts: EndedAttempt[]
  readonly endedJobs: number[]
  deadJob: DeadJob | undefined
  newUserTasks: NewUserTask[]
  readonly closedUserTasks: ClosedUserTask[]
  newTimers: NewTimer[]
  readonly firedTimers: FiredTimer[]
  readonly endedTimers: number[]
  readonly runSteps: RunStep[]
  readonly newSignals: NewSignal[]
  linkingId: string | undefined
  readonly audit: AuditEntry[]
}

export function openDraft(definition: CompiledDefinition, instance: Instance, context: PlanContext): Draft {
  const { open, forks, entries, executions, cut, kept = [], awaitedBy, bytes, toldBytes } = instance.state
  return {
    definition,
    instance,
    context,
    status: instance.status,
    open: [...open],
    forks: [...forks],
    entries: copyEntries(entries),
    executions,
    cut,
    kept,
    awaitedBy,
    variables: instance.variables,
    ...budgetsOf(bytes, toldBytes),
    delta: undefined,
    version: instance.version,
    finish: undefined,
    next: undefined,
    ending: undefined,
    closedSteps: [],
    newJobs: [],
    requeuedJobs: [],
    spentRetries: [],
    endedAttempts: [],
    endedJobs: [],
    deadJob: undefined,
    newUserTasks: [],
    closedUserTasks: [],
    newTimers: [],
    firedTimers: [],
    endedTimers: [],
    runSteps: [],
    newSignals: [],
    linkingId: undefined,
    audit: [],
  }
}

/** Most instances count none, so they share one. Without a prototype: `constructor` and `__proto__` are step ids like any other. */
const NO_ENTRIES = Object.freeze(Object.create(null) as Record<string, number>)

function copyEntries(entries: Readonly<Record<string, number>>): Record<string, number> {
  for (const _ in entries) return Object.assign(Object.create(null) as Record<string, number>, entries)
  return NO_ENTRIES
}

/** How often a step has been entered, from now on. */
export function setEntries(draft: Draft, stepId: string, times: number): void {
  if (draft.entries === NO_ENTRIES) draft.entries = Object.create(null) as Record<string, number>
  draft.entries[stepId] = times
}

const budgetsOf = (bytes = Number.POSITIVE_INFINITY, toldBytes = 0) => ({
  boundBytes: bytes,
  toldBytes,
  exactBytes: undefined,
  transformedBytes: 0,
  work: newWorkBudget(),
})

/** The draft itself becomes the plan: nothing changes it afterwards. */
export function finishDraft(draft: Draft): Plan {
  const { open, forks, entries, executions, cut, kept, awaitedBy, boundBytes, toldBytes } = draft
  const state: { -readonly [Key in keyof InstanceState]: InstanceState[Key] } = { open, forks, entries, executions }
  if (Number.isFinite(boundBytes)) state.bytes = boundBytes
  if (toldBytes > 0) state.toldBytes = toldBytes
  if (kept.length > 0) state.kept = kept
  if (cut) state.cut = cut
  if (awaitedBy) state.awaitedBy = awaitedBy
  return Object.assign(draft, { state })
}

/** Several events are going to share the draft: one that finds its budgets spent by the others is planned again, alone. */
export function share(draft: Draft): void {
  draft.work.onSpent = () => {
    throw new TooMuchTogether("the events of one instance are too much for one plan")
  }
}

export function record(draft: Draft, kind: AuditKind, actor: string, detail: JsonObject = {}): void {
  draft.version += 1
  draft.audit.push({ kind, actor, detail })
}

/** Shallow: returned keys win, other keys stay, null is a value. */
export function mergeVariables(draft: Draft, delta: JsonObject | undefined): void {
  if (!delta || Object.keys(delta).length === 0) return
  noteWritten(draft, delta)
  // Copied once per draft: a plan may merge a thousand times, and an instance may have thousands of variables.
  if (draft.delta === undefined) draft.variables = { ...draft.variables }
  draft.delta ??= {}
  for (const [name, value] of Object.entries(delta)) {
    setOwn(draft.delta, name, value)
    setOwn(draft.variables, name, value)
  }
}

/** Assigned, the name `__proto__` would set something else. */
function setOwn(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

export function findOpen(draft: Draft, execution: number): OpenStep | undefined {
  return draft.open.find((step) => step.execution === execution)
}

/** The oldest open execution of a step: what signals and user-task completions by step id mean. */
export function findOpenByStep(draft: Draft, stepId: string): OpenStep | undefined {
  return draft.open.find((step) => step.stepId === stepId)
}

/**
 * Whether an earlier event of this same draft has decided about the job. What was read of it under lock is then out of date,
 * its token included, so the later report does not count. Where only a retry was spent the token is still good: the report is then
 * planned alone, which is why this throws.
 */
export function isDecided(draft: Draft, execution: number): boolean {
  if (draft.spentRetries.some((job) => job.execution === execution))
    throw new TooMuchTogether("a retry of the job has been spent in this plan")
  return (
    draft.closedSteps.some((step) => step.execution === execution) ||
    draft.requeuedJobs.some((job) => job.execution === execution)
  )
}

interface Closing {
  readonly status: ClosedStepStatus
  readonly reason?: string
  readonly delta?: JsonObject | undefined
  readonly report?: ReportRecord
}

export function closeStep(draft: Draft, open: OpenStep, closing: Closing): void {
  assert(findOpen(draft, open.execution), `execution ${open.execution} is open`)
  draft.open = draft.open.filter((step) => step !== open)
  const step = draft.definition.step(open.stepId)
  endTimers(draft, step, open.execution)
  appendHistory(draft, open, step, closing)
}

export function appendHistory(draft: Draft, open: OpenStep, step: Step, closing: Closing): void {
  draft.closedSteps.push({
    execution: open.execution,
    stepId: open.stepId,
    stepType: step.type,
    attempt: open.attempt,
    status: closing.status,
    startedAt: open.startedAt,
    seq: draft.version,
    ...(closing.reason === undefined ? {} : { failureReason: closing.reason }),
    ...(closing.delta === undefined ? {} : { delta: closing.delta }),
    ...(closing.report === undefined ? {} : { report: closing.report }),
  })
}

/** Ends the job or user task behind a step whose scope closes. A job made in this same draft was never written. */
export function withdrawWork(draft: Draft, open: OpenStep): void {
  const { execution } = open
  const type = draft.definition.step(open.stepId).type
  if (type === "SERVICE_TASK") endJob(draft, execution)
  if (type === "USER_TASK") closeUserTask(draft, { execution, status: "CANCELLED" })
}

export function endJob(draft: Draft, execution: number): void {
  draft.requeuedJobs = draft.requeuedJobs.filter((job) => job.execution !== execution)
  if (draft.newJobs.some((job) => job.execution === execution)) {
    draft.newJobs = draft.newJobs.filter((job) => job.execution !== execution)
  } else draft.endedJobs.push(execution)
}

export function closeUserTask(draft: Draft, closed: ClosedUserTask): void {
  if (draft.newUserTasks.some((task) => task.execution === closed.execution)) {
    draft.newUserTasks = draft.newUserTasks.filter((task) => task.execution !== closed.execution)
  } else draft.closedUserTasks.push(closed)
}

function endTimers(draft: Draft, step: Step, execution: number): void {
  draft.newTimers = draft.newTimers.filter((timer) => timer.execution !== execution)
  if (draft.definition.hasTimers(step)) draft.endedTimers.push(execution)
}
