// How a step of an instance stands, in a word and a colour, and the marks of all of them for the graph.
import type { StepExecution, WaitingReason } from "../../api/instance.ts"
import type { StepMark } from "../../graph/step-node.tsx"
import { groupBy } from "../../kit/group-by.ts"
import type { Tone } from "../../kit/status.tsx"
import { durationText } from "../../kit/time.tsx"
import { signalsOf } from "./possible-actions.ts"

interface Standing {
  readonly word: string
  readonly tone: Tone
}

const CLOSED: Readonly<Record<string, Standing>> = {
  COMPLETED: { word: "completed", tone: "good" },
  FAILED: { word: "failed", tone: "bad" },
  SKIPPED: { word: "skipped", tone: "calm" },
}

const OPEN: Readonly<Record<string, Standing>> = {
  "user-task": { word: "waits for a person", tone: "warn" },
  signal: { word: "waits for a signal", tone: "warn" },
  "job-queued": { word: "queued", tone: "warn" },
  "job-leased": { word: "running", tone: "info" },
  retry: { word: "waits to retry", tone: "warn" },
  paused: { word: "paused", tone: "warn" },
  pace: { word: "waits its turn", tone: "warn" },
  limit: { word: "waits its turn", tone: "warn" },
  backlog: { word: "waits its turn", tone: "warn" },
}

/** A timer that runs beside a step says nothing of how it stands. */
export function standingOf(execution: StepExecution, reasons: readonly WaitingReason[]): Standing {
  const closed = CLOSED[execution.status]
  if (closed) return closed
  const { stepId } = execution
  const reason =
    reasons.find((reason) => reason.stepId === stepId && reason.kind in OPEN) ??
    // A step of a list waits through its run.
    reasons.find((reason) => reason.kind === "signal" && signalsOf(reason).includes(stepId))
  return OPEN[reason?.kind ?? ""] ?? { word: "open", tone: "info" }
}

export const msOf = ({ startedAt, endedAt }: Pick<StepExecution, "startedAt" | "endedAt">, now: number): number =>
  Math.max(0, (endedAt === undefined ? now : Date.parse(endedAt)) - Date.parse(startedAt))

/** Deliveries of the job of an execution, those that were lost or failed included; undefined where a step has no job. */
export function attemptsOf({ stepType, attempts = [] }: StepExecution): number | undefined {
  return stepType === "SERVICE_TASK" || attempts.length > 0 ? attempts.length + 1 : undefined
}

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
  const byStep = groupBy(history, ({ stepId }) => stepId)
  return Object.fromEntries([...byStep].map(([stepId, executions]) => [stepId, markOf(executions, reasons, now)]))
}

function markOf(executions: readonly StepExecution[], reasons: readonly WaitingReason[], now: number): StepMark {
  const shown = executions.find(({ status }) => status === "RUNNING") ?? (executions.at(-1) as StepExecution)
  const { word, tone } = standingOf(shown, reasons)
  const took = msOf(shown, now)
  const attempts = attemptsOf(shown) ?? 1
  const line = [word, ...(took > 0 ? [durationText(took)] : []), ...(attempts > 1 ? [attemptsText(attempts)] : [])]
  return { tone, lines: [line.join(" · ")] }
}
