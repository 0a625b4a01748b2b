// A step that failed, with its name; and how an error is told: retryable with a delay, or for good.
import { inspect } from "node:util"
import type { RunStep } from "../../model/instances/plan.ts"
import { isPostponedByDatabase } from "../../operations/kernel/run-operation.ts"
import { EngineError } from "../../support/errors.ts"
import { backoffOf, RetryableError } from "../authoring/retryable-error.ts"
import type { Failed } from "./outcome.ts"
import { pushbackOf } from "./pushback.ts"

export class StepFailure extends Error {
  override name = "StepFailure"
  readonly step: string
  /** What is on record of it, as it is to be when the run goes on: not done. */
  readonly again: readonly RunStep[]

  constructor(step: string, cause: unknown, again: readonly RunStep[] = []) {
    super(`${step}: ${describeError(cause)}`, { cause })
    this.step = step
    this.again = again
  }
}

/** What a step has thrown, without its name. */
export const causeOf = (error: unknown): unknown => (error instanceof StepFailure ? error.cause : error)

/** Then nothing may be done or said any more: another worker may have the run. */
export function isLeaseLost(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof EngineError && cause.code === "lease-lost"
}

/** Of the attempt, and of no step: whether the step was done, nobody knows now. */
export const endsAttempt = (error: unknown): boolean => isLeaseLost(error) || isPostponedByDatabase(causeOf(error))

const LONGEST = 10_000

/** Whatever was thrown, in words that can be stored: a failure that cannot be written down would come back for ever. */
export function describeError(error: unknown): string {
  const words = wordsOf(error)
  const capped = words.length > LONGEST ? `${words.slice(0, LONGEST)}… (${words.length} characters)` : words
  // Half of a surrogate pair is no character either; the cut may have made one.
  return capped.replaceAll("\u0000", "\\u0000").replace(/\p{Surrogate}/gu, "\ufffd")
}

function wordsOf(error: unknown): string {
  if (error instanceof Error) return String(error.message || error.name)
  return typeof error === "string" ? error : inspect(error)
}

export function toFailure(error: unknown, isUnlimited: boolean, random: () => number): Failed {
  const cause = causeOf(error)
  const steps = error instanceof StepFailure ? error.again : []
  const pushback = pushbackOf(cause)
  const told = pushback ? { pushback } : {}
  const failed = { verb: "fail", message: describeError(error), retryAfterMs: undefined, steps, ...told } as const
  if (!(cause instanceof RetryableError)) return { ...failed, retryable: false }
  return { ...failed, retryable: true, backoff: backoffOf(cause, random), isUnlimited, wakeOn: cause.wakeOn }
}

const DEEPEST = 10

/** The steps whose failures an error comes from: it may be one, or a caller's own with one as its cause. */
export function stepsBehind(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > DEEPEST) return []
  const own = error instanceof StepFailure ? [error.step] : []
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors : [])]
  return [...own, ...causes.flatMap((cause) => stepsBehind(cause, depth + 1))]
}
