// What is known of a run of a list or a function beyond its record: where it failed, where it stands, which attempt ended at which step.
import type { RunWaitKind, TimedCall } from "../../instances/plan.ts"
import { wentTo } from "../../instances/went-to.ts"
import { byStep, lastEnd, silentEnd } from "./attempts-by-step.ts"
import { elementsOf, ledPast, nextElement, withStrangers } from "./list-order.ts"
import type { AttemptFact, ClosedExecution, ListFacts, RecordedFact } from "./run-facts.ts"
import { withoutName } from "./told.ts"

export interface ListRun {
  /** The steps in their order. */
  readonly names: readonly string[]
  readonly recorded: ReadonlyMap<string, RecordedFact>
  /** The calls of the last attempt, where the list does not record its steps. */
  readonly calls: ReadonlyMap<string, TimedCall>
  readonly attemptsAt: ReadonlyMap<string, readonly AttemptFact[]>
  /** The step that has failed the run. */
  readonly failed: FailedStep | undefined
  /** How many steps, from the first one on, are done or skipped because a wait that timed out led past them. */
  readonly ledPast: number
  /** The step that it works on or comes to next; undefined where that is not known. */
  readonly current: string | undefined
  readonly isComplete: boolean
  /** The execution of the open job. */
  readonly execution: number | undefined
}

export interface FailedStep {
  readonly step: string
  readonly error: string
  readonly stack: string | undefined
  readonly startedAt: number | undefined
  readonly endedAt: number
  readonly workerId: string | null
  /** The kind of wait, if the step is a wait that timed out or whose child run failed. */
  readonly waitKind?: RunWaitKind | undefined
}

export function readListRun(facts: ListFacts): ListRun {
  const recorded = new Map(facts.recorded.filter(isOnRecord).map((one) => [one.name, one]))
  const elements = elementsOf(facts.definition, (name) => recorded.has(name))
  const past = ledPast(elements, targetsOf(facts.recorded))
  const runs = facts.closed.filter(({ stepId }) => stepId === facts.definition.id)
  const last = facts.hasEnded ? runs.at(-1) : undefined
  const known = { elements, recorded, past }
  const silent = last && silentEnd(last, facts.attempts)
  const failed =
    last?.status === "FAILED" ? (failedAt(last, facts, elements) ?? failedSilently(facts, known, last)) : undefined
  const before = runs.filter((run) => run !== last || failed === undefined)
  const attempts = [
    ...facts.attempts.filter((one) => one !== silent),
    ...before.flatMap((run) => endedRun(run, facts, elements)),
  ]
  const open = facts.open.find(({ stepId }) => stepId === facts.definition.id)
  const calls = (last ? last.detail.calls : facts.attempts.at(-1)?.detail.calls) ?? []
  const current = facts.hasEnded ? undefined : currentOf(facts, known)
  const attemptsAt = byStep(attempts, {
    recorded: [...recorded.values()],
    otherwise: failed?.step ?? current ?? wholeOrNext(facts, known),
  })
  const ran = withStrangers(elements, [...recorded.keys(), ...calls.map(({ name }) => name)])
  const tried = [...attemptsAt.keys(), ...(failed ? [failed.step] : [])]
  const whole = tried.filter((name) => name === facts.definition.id)
  return {
    names: [...new Set([...whole, ...ran, ...tried])],
    recorded,
    calls: new Map(calls.map((call) => [call.name, call])),
    attemptsAt,
    failed,
    ledPast: past,
    current: current ?? (facts.hasEnded ? undefined : whole[0]),
    isComplete: last?.status === "COMPLETED",
    execution: open?.execution,
  }
}

interface Known {
  readonly elements: readonly string[]
  readonly recorded: ReadonlyMap<string, RecordedFact>
  readonly past: number
}

/** The steps that it went to, because waits were not answered in time. */
const targetsOf = (recorded: readonly RecordedFact[]): readonly string[] => recorded.flatMap((one) => wentTo(one) ?? [])

/** One that is to be done again is on record as a wait without an end, and is not done. */
const isOnRecord = ({ status, value }: RecordedFact): boolean =>
  status !== "WAITING" || (typeof value === "object" && value !== null && "until" in value)

/**
 * A wait that fails does not say when it began: that is on record, where it stays to be waited for again. After a retry by hand it was
 * waited for anew.
 */
function failedAt(run: ClosedExecution, facts: ListFacts, elements: readonly string[]): FailedStep | undefined {
  const failed = failedStep(run, elements)
  const wait = facts.recorded.find(({ name, detail }) => name === failed?.step && detail.kind !== undefined)
  if (!failed || !wait) return failed
  return { ...failed, startedAt: Math.max(wait.startedAt, run.startedAt), waitKind: wait.detail.kind }
}

/** A worker of an earlier version of the engine has said it in the reason alone. */
export function failedStep(run: ClosedExecution, elements: readonly string[]): FailedStep | undefined {
  const { failureReason, detail, endedAt, workerId } = run
  const reason = failureReason ?? ""
  const step = detail.step ?? elements.find((name) => reason.startsWith(`${name}: `))
  if (step === undefined) return undefined
  const { stack, startedAt } = detail
  return { step, error: withoutName(reason, step), stack, startedAt, endedAt, workerId }
}

/**
 * A list that records its steps was at the first that is not done. Of others it is not known at which step they were: what happened there
 * is told of the run as a whole, which has the name of its workflow.
 */
function wholeOrNext({ definition }: ListFacts, { elements, recorded, past }: Known): string {
  const next = nextElement(elements, past, (name) => recorded.has(name))
  return definition.definition.recover === "resume" ? (next ?? definition.id) : definition.id
}

/** The engine ended the last attempt, because its worker was silent or took too long. */
function failedSilently(facts: ListFacts, known: Known, run: ClosedExecution): FailedStep | undefined {
  const silent = silentEnd(run, facts.attempts)
  const startedAt = (silent ?? run).detail.startedAt
  if (silent === undefined && startedAt === undefined) return undefined
  const { failureReason, endedAt, workerId } = run
  const begun = lastEnd([...known.recorded.values()], endedAt, startedAt)
  return {
    step: wholeOrNext(facts, known),
    error: failureReason ?? "",
    stack: undefined,
    startedAt: begun,
    endedAt,
    workerId: workerId ?? silent?.workerId ?? null,
  }
}

/** A run that failed and was retried by hand: that was an attempt at its step, too. */
function endedRun(run: ClosedExecution, facts: ListFacts, elements: readonly string[]): readonly AttemptFact[] {
  const failed = run.status === "FAILED" ? failedAt(run, facts, elements) : undefined
  if (!failed) return []
  const { execution, endedAt, workerId } = run
  const before = facts.attempts.filter((one) => one.execution === execution).length
  const { step, error, startedAt } = failed
  const detail = { ...run.detail, startedAt }
  return [{ execution, attempt: before + 1, outcome: "failed", error, endedAt, workerId, step, detail }]
}

/** Where the attempt that failed has ended, else the first step of the list that is not done and was not skipped. */
function currentOf(
  { reasons, attempts, definition }: ListFacts,
  { elements, recorded, past }: Known,
): string | undefined {
  if (reasons.some(({ detail, kind }) => detail.step !== undefined || kind === "user-task")) return undefined
  if (reasons.some(({ kind }) => kind === "retry")) return attempts.at(-1)?.step ?? undefined
  // Which of its steps a list is at that starts anew is known when the attempt ends.
  const isAtWork = reasons.some(({ kind }) => kind === "job-leased")
  if (isAtWork && definition.definition.recover !== "resume") return undefined
  return nextElement(elements, past, (name) => recorded.has(name))
}
