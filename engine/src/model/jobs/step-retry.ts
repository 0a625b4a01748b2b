// Whether a step of a run is tried again when it has failed: which errors its rule takes, and whose retries are spent.
import type { OwnRetries } from "./after-attempt.ts"
import type { JitteredBackoff } from "./retry-delay.ts"

/** "marked": only errors that ask for another try. "all": all that do not forbid it. */
export type RetriedErrors = "marked" | "all"

/** How a failure may be met: it asks for another try, says nothing of it, or says that none can help. */
export type FailureKind = "marked" | "plain" | "final"

export interface RetryRule {
  readonly errors: RetriedErrors
  /** Undefined on a step: those of its run. */
  readonly retries?: number | "unlimited"
  /** Undefined: as the error says. */
  readonly backoff?: JitteredBackoff
}

/** The delays that the spec gives for first retries: 30 s, doubled each time, at most an hour. */
export const DEFAULT_BACKOFF: JitteredBackoff = { baseMs: 30_000, factor: 2, capMs: 3_600_000, jitter: "partial" }

/** What a step says of itself, and for the rest what its workflow says. The number of retries is the step's own or none. */
export function ruleOfStep(step: RetryRule | undefined, workflow: RetryRule): RetryRule {
  const { retries: _ofTheRun, ...shared } = workflow
  return { ...shared, ...step }
}

export interface Verdict {
  readonly retryable: boolean
  /** Where the step counts its retries by itself. */
  readonly own?: OwnRetries
}

/** `failures`: how often the step has failed before. */
export function judgeFailure({ errors, retries }: RetryRule, kind: FailureKind, failures: number): Verdict {
  const retryable = kind === "marked" || (kind === "plain" && errors === "all")
  if (retries === undefined) return { retryable }
  const most = retries === "unlimited" ? Number.POSITIVE_INFINITY : retries
  return { retryable, own: { left: Math.max(0, most - failures), spent: failures } }
}

/** `runLeft`: the retries that the run has left, for steps that have none of their own. */
export const isTriedAgain = ({ retryable, own }: Verdict, runLeft: number): boolean =>
  retryable && (own?.left ?? runLeft) > 0
