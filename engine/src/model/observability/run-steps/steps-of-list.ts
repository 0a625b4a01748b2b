// The steps of a list or a function: what its worker has recorded, what its attempts have told, and what is still to come.
import { isoTime } from "../../../support/iso-time.ts"
import type { CompiledDefinition } from "../../definitions/compile-definition.ts"
import { type ListRun, readListRun } from "./list-run.ts"
import type { ListFacts, RecordedFact } from "./run-facts.ts"
import type { RunStepState, RunStepView } from "./run-step.ts"
import { closedStep } from "./steps-of-graph.ts"
import { toldAttempts, waitOf } from "./told.ts"

/** A list in its own order, a function in the order in which its calls began. */
export function stepsOfList(facts: ListFacts): readonly RunStepView[] {
  const run = readListRun(facts)
  const steps = run.names.map((name) => stepOf(facts, run, name))
  return facts.definition.isFunction ? steps.toSorted(byStart) : steps
}

/** Steps that have not begun come last. */
function byStart(a: RunStepView, b: RunStepView): number {
  const [first, second] = [a.startedAt ?? "~", b.startedAt ?? "~"]
  return first === second ? 0 : first < second ? -1 : 1
}

function stepOf(facts: ListFacts, run: ListRun, name: string): RunStepView {
  const recorded = run.recorded.get(name)
  const childId = facts.children.get(name)
  return {
    id: `${facts.instanceId}/${name}`,
    stepId: name,
    stepType: typeOf(facts.definition, recorded, name),
    attemptNumber: 1,
    ...standing(facts, run, name),
    ...(recorded?.detail.branch ? { branch: recorded.detail.branch } : {}),
    ...(childId === undefined ? {} : { childId }),
    ...toldAttempts(run.attemptsAt.get(name) ?? []),
  }
}

function typeOf(definition: CompiledDefinition, recorded: RecordedFact | undefined, name: string) {
  if (!definition.isFunction && definition.hasStep(name)) return definition.step(name).type
  const kind = recorded?.detail.kind
  return kind === "user-task" ? "USER_TASK" : kind === "sleep" || kind === "signal" ? "WAIT" : "SERVICE_TASK"
}

type Told = Pick<RunStepView, "status"> & Partial<RunStepView>

function standing(facts: ListFacts, run: ListRun, name: string): Told {
  const { failed } = run
  if (failed?.step === name) return failedHere(failed)
  const recorded = run.recorded.get(name)
  if (recorded) return recorded.status === "WAITING" ? waiting(facts, recorded) : done(recorded)
  const call = run.calls.get(name)
  if (call) return { status: "COMPLETED", startedAt: isoTime(call.startedAt), endedAt: isoTime(call.endedAt) }
  const task = facts.closed.findLast(({ stepId }) => stepId === name && stepId !== facts.definition.id)
  if (task) return closedStep(facts, task)
  if (run.current === name) return underWay(facts, run)
  const whole = facts.closed.findLast(({ stepId }) => stepId === name)
  if (whole) return closedStep(facts, whole)
  return { status: withoutRecord(run, name) }
}

/** A completed list has passed a step as well that is not on record, where a later one is, or where its worker has named those it called. */
function withoutRecord({ names, recorded, calls, ledPast, isComplete }: ListRun, name: string): RunStepState {
  const at = names.indexOf(name)
  if (at < ledPast) return "SKIPPED"
  if (!isComplete) return "PENDING"
  if (calls.size > 0) return "SKIPPED"
  return names.slice(at + 1).some((one) => recorded.has(one)) ? "SKIPPED" : "COMPLETED"
}

function failedHere({ error, stack, startedAt, endedAt, workerId, waitKind }: NonNullable<ListRun["failed"]>): Told {
  return {
    status: "FAILED",
    failureReason: error,
    endedAt: isoTime(endedAt),
    ...(stack === undefined ? {} : { stack }),
    ...(startedAt === undefined ? {} : { startedAt: isoTime(startedAt) }),
    ...(workerId === null ? {} : { workerId }),
    ...(waitKind === undefined ? {} : { wait: { kind: waitKind } }),
  }
}

function done({ status, value, error, startedAt, endedAt, detail: { kind, stack } }: RecordedFact): Told {
  const times = { startedAt: isoTime(startedAt), endedAt: isoTime(endedAt), ...(kind ? { wait: { kind } } : {}) }
  if (status === "COMPLETED") return { status, ...times, ...(value == null ? {} : { output: value }) }
  return {
    status: "FAILED",
    ...times,
    isTolerated: true,
    failureReason: error ?? "No reason was recorded.",
    ...(stack === undefined ? {} : { stack }),
  }
}

/** What a run still waited for when it ended has come to nothing then; its own record says when the run was parked. */
function waiting(
  facts: ListFacts,
  { name, error, startedAt, endedAt: parkedAt, detail: { kind } }: RecordedFact,
): Told {
  const began = { startedAt: isoTime(startedAt), ...(error === null ? {} : { failureReason: error }) }
  const known = kind ? { wait: { kind } } : {}
  if (facts.hasEnded) return { status: "SKIPPED", ...began, endedAt: isoTime(facts.endedAt ?? parkedAt), ...known }
  const wait = waitOf(facts.reasons.filter(({ stepId, detail }) => (detail.step ?? stepId) === name))
  return { status: wait ? "WAITING" : "RUNNING", ...began, ...(wait ? { wait } : known) }
}

/** The step that it comes to next, or that is tried again. */
function underWay({ reasons, holders }: ListFacts, { execution }: ListRun): Told {
  const wait = waitOf(reasons.filter(({ detail }) => detail.step === undefined))
  const workerId = execution === undefined ? undefined : holders.get(execution)
  const status: RunStepState = wait ? "WAITING" : "RUNNING"
  return { status, ...(wait ? { wait } : {}), ...(workerId === undefined ? {} : { workerId }) }
}
