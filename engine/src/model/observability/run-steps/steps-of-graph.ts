// The steps of an instance of a graph: each entry into one of them.
import { executionId } from "../../../support/ids.ts"
import { isoTime } from "../../../support/iso-time.ts"
import { silentEnd } from "./attempts-by-step.ts"
import type { AttemptFact, ClosedExecution, RunFacts } from "./run-facts.ts"
import type { RunStepView } from "./run-step.ts"
import { toldAttempts, waitOf } from "./told.ts"

type BegunStep = RunStepView & { readonly startedAt: string }

/** Each entry into a step, in the order in which they began. */
export function stepsOfGraph(facts: RunFacts): readonly RunStepView[] {
  const attemptsOf = (execution: number, end?: AttemptFact) =>
    toldAttempts(facts.attempts.filter((one) => one.execution === execution && one !== end))
  const closed = facts.closed.map((one) => {
    const end = silentEnd(one, facts.attempts)
    const by = end?.workerId ? { workerId: end.workerId } : {}
    return { ...closedStep(facts, one), ...by, ...attemptsOf(one.execution, end) }
  })
  const known = new Set(facts.closed.map(({ execution }) => execution))
  const open = facts.open
    .filter(({ execution }) => !known.has(execution))
    .map((one) => ({ ...openStep(facts, one), ...attemptsOf(one.execution) }))
  return [...closed, ...open].sort((a, b) => compare(a.startedAt, b.startedAt) || compare(a.id, b.id))
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

export function closedStep({ instanceId, definition }: RunFacts, one: ClosedExecution): BegunStep {
  const { stepId, stepType, status, failureReason, workerId, detail, output } = one
  const step = definition?.hasStep(stepId) ? definition.step(stepId) : undefined
  const goesOn = step && "onError" in step && step.onError === "continue"
  return {
    id: executionId(instanceId, one.execution),
    stepId,
    stepType,
    attemptNumber: one.attempt,
    status,
    startedAt: isoTime(one.startedAt),
    endedAt: isoTime(one.endedAt),
    ...(failureReason === null ? {} : { failureReason }),
    ...(detail.stack === undefined ? {} : { stack: detail.stack }),
    ...(status === "FAILED" && (goesOn || (step && definition?.errorTarget(step) !== undefined))
      ? { isTolerated: true }
      : {}),
    ...(output === undefined ? {} : { output }),
    ...(workerId === null ? {} : { workerId }),
  }
}

function openStep(facts: RunFacts, open: RunFacts["open"][number]): BegunStep {
  const { stepId, execution } = open
  const workerId = facts.holders.get(execution)
  const wait = waitOf(facts.reasons.filter((reason) => reason.stepId === stepId))
  return {
    id: executionId(facts.instanceId, execution),
    stepId,
    stepType: facts.definition?.step(stepId).type ?? "SERVICE_TASK",
    attemptNumber: open.attempt,
    status: wait ? "WAITING" : "RUNNING",
    startedAt: isoTime(open.startedAt),
    ...(workerId === undefined ? {} : { workerId }),
    ...(wait ? { wait } : {}),
  }
}
