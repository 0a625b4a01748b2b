// Parts of a step that are told alike wherever it was found: its wait, its attempts, its error.
import { isoTime } from "../../../support/iso-time.ts"
import type { WaitingReason } from "../waiting.ts"
import type { AttemptFact } from "./run-facts.ts"
import type { RunStepAttempt, RunStepWait } from "./run-step.ts"

/** The first reason that keeps it from going on. One that a worker has does not wait, and a timer beside it is no wait either. */
export function waitOf(reasons: readonly WaitingReason[]): RunStepWait | undefined {
  const reason = reasons.find(({ kind }) => kind !== "timer" && kind !== "job-leased")
  if (!reason) return undefined
  const { kind, detail } = reason
  return { kind, message: detail.message, ...(typeof detail.dueAt === "string" ? { dueAt: detail.dueAt } : {}) }
}

export function toldAttempts(attempts: readonly AttemptFact[]): { readonly attempts?: readonly RunStepAttempt[] } {
  return attempts.length === 0 ? {} : { attempts: attempts.map(toldAttempt) }
}

const toldAttempt = ({ attempt, outcome, error, endedAt, workerId, detail, step }: AttemptFact): RunStepAttempt => ({
  attempt,
  outcome,
  error: withoutName(error, step),
  ...(detail.stack === undefined ? {} : { stack: detail.stack }),
  ...(detail.startedAt === undefined ? {} : { startedAt: isoTime(detail.startedAt) }),
  endedAt: isoTime(endedAt),
  ...(workerId === null ? {} : { workerId }),
})

/** A run tells an error with the name of its step before it; where the step itself is shown that says it twice. */
export const withoutName = (error: string, step: string | null | undefined): string =>
  step && error.startsWith(`${step}: `) ? error.slice(step.length + 2) : error
