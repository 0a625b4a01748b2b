// A step that failed, with its name; and how an error is told: retryable with a delay, or for good.
import { inspect } from "node:util"
import type { RunStep } from "../../model/instances/plan.ts"
import { isPostponedByDatabase } from "../../operations/kernel/run-operation.ts"
import { EngineError } from "../../support/errors.ts"
import { isA, peek } from "../../support/thrown.ts"
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
export const causeOf = (error: unknown): unknown => (isA(error, StepFailure) ? error.cause : error)

/** Then nothing may be done or said any more: another worker may have the run. */
export function isLeaseLost(error: unknown): boolean {
  const cause = causeOf(error)
  return isA(cause, EngineError) && cause.code === "lease-lost"
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
  if (typeof error === "string") return error
  const words = peek(() => (isA(error, Error) ? String(error.message || error.name) : inspect(error)))
  return words ?? "what was thrown cannot be read"
}

export function toFailure(error: unknown, isUnlimited: boolean, random: () => number): Failed {
  const cause = causeOf(error)
  const steps = isA(error, StepFailure) ? error.again : []
  const pushback = pushbackOf(cause)
  const told = pushback ? { pushback } : {}
  const failed = { verb: "fail", message: describeError(error), retryAfterMs: undefined, steps, ...told } as const
  if (!isA(cause, RetryableError)) return { ...failed, retryable: false }
  return { ...failed, retryable: true, backoff: backoffOf(cause, random), isUnlimited, wakeOn: cause.wakeOn }
}

const DEEPEST = 10

/** The steps whose failures an error comes from: it may be one, or a caller's own with one as its cause. */
export function stepsBehind(error: unknown, depth = 0): readonly string[] {
  if (!isA(error, Error) || depth > DEEPEST) return []
  const own = isA(error, StepFailure) ? [error.step] : []
  const causes = [peek(() => error.cause), ...(isA(error, AggregateError) ? error.errors : [])]
  return [...own, ...causes.flatMap((cause) => stepsBehind(cause, depth + 1))]
}
