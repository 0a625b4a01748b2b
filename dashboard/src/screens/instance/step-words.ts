// How a step of an instance stands, in a word and a colour, and the marks of all of them for the graph.
import type { StepExecution, WaitingReason } from "../../api/instance.ts"
import type { StepMark } from "../../graph/step-node.tsx"
import { groupBy } from "../../kit/group-by.ts"
import type { Tone } from "../../kit/status.tsx"
import { durationText } from "../../kit/time.tsx"
import { standingOfKind, stepOf } from "../../kit/waiting.ts"

interface Standing {
  readonly word: string
  readonly tone: Tone
}

const CLOSED: Readonly<Record<string, Standing>> = {
  COMPLETED: { word: "completed", tone: "good" },
  FAILED: { word: "failed", tone: "bad" },
  SKIPPED: { word: "skipped", tone: "calm" },
  PENDING: { word: "not reached", tone: "calm" },
}

/** Its own timer ends it; that a signal may come before is said where it is asked why it waits. */
const TIMED: Standing = { word: "waits for its time", tone: "calm" }

/** A timer that runs beside a step says nothing of how it stands. */
export function standingOf(execution: StepExecution, reasons: readonly WaitingReason[]): Standing {
  const { stepId, status, isTolerated, wait } = execution
  if (isTolerated) return { word: "failed, the run went on", tone: "warn" }
  const closed = CLOSED[status]
  if (closed) return closed
  if (reasons.some((one) => one.stepId === stepId && one.detail.timer === "duration")) return TIMED
  if (wait) return standingOfKind(wait.kind)
  const besides = reasons.filter(({ kind }) => kind !== "timer")
  // A step of a list waits through its run.
  const reason = besides.find((one) => stepOf(one) === stepId) ?? besides.find((one) => one.stepId === stepId)
  return reason ? standingOfKind(reason.kind) : { word: "open", tone: "info" }
}

/** The duration of an execution, or 0 where its beginning is not known. */
export const msOf = ({ startedAt, endedAt }: Pick<StepExecution, "startedAt" | "endedAt">, now: number): number =>
  startedAt === undefined ? 0 : Math.max(0, (endedAt === undefined ? now : Date.parse(endedAt)) - Date.parse(startedAt))

/** Deliveries of the job of an execution, those that were lost or failed included; undefined where a step has no job. */
export function attemptsOf({ stepType, status, wait, attempts = [] }: StepExecution): number | undefined {
  if (status === "PENDING") return undefined
  // One that waits to be tried again has not begun its next attempt.
  const next = wait?.kind === "retry" ? 0 : 1
  return stepType === "SERVICE_TASK" || attempts.length > 0 ? attempts.length + next : undefined
}

const OUTCOMES: Readonly<Record<string, string>> = { "timed-out": "timed out", lost: "was lost" }

/** How an attempt ended that did not end its step. */
export const outcomeWords = (outcome: string): string => OUTCOMES[outcome] ?? outcome

const attemptsText = (attempts: number): string => (attempts === 1 ? "1 attempt" : `${attempts} attempts`)

/** `Execution 2 · 4 attempts`: each entry into a step is an execution, each delivery of its job an attempt. */
export function executionWords(execution: StepExecution): string {
  const attempts = attemptsOf(execution)
  return `Execution ${execution.attemptNumber}${attempts === undefined ? "" : ` · ${attemptsText(attempts)}`}`
}

export function marksOf(
  history: readonly StepExecution[],
  reasons: readonly WaitingReason[],
  now: number,
): Readonly<Record<string, StepMark>> {
  const reached = history.filter(({ status }) => status !== "PENDING")
  const byStep = groupBy(reached, ({ stepId }) => stepId)
  return Object.fromEntries([...byStep].map(([stepId, executions]) => [stepId, markOf(executions, reasons, now)]))
}

const isOpen = ({ status }: StepExecution): boolean => status === "RUNNING" || status === "WAITING"

function markOf(executions: readonly StepExecution[], reasons: readonly WaitingReason[], now: number): StepMark {
  const shown = executions.find(isOpen) ?? (executions.at(-1) as StepExecution)
  const { word, tone } = standingOf(shown, reasons)
  const took = msOf(shown, now)
  const attempts = attemptsOf(shown) ?? 1
  const line = [word, ...(took > 0 ? [durationText(took)] : []), ...(attempts > 1 ? [attemptsText(attempts)] : [])]
  return { tone, lines: [line.join(" · ")] }
}
