// A step that failed, with its name; and how an error is told: retryable with a delay, or for good.
import { inspect } from "node:util"
import type { RunStep, TimedCall } from "../../model/instances/plan.ts"
import type { RetryRule } from "../../model/jobs/step-retry.ts"
import { isPostponedByDatabase } from "../../operations/kernel/run-operation.ts"
import { EngineError } from "../../support/errors.ts"
import { isA, peek } from "../../support/thrown.ts"
import type { Failed } from "./outcome.ts"
import { pushbackOf } from "./pushback.ts"
import { type Judged, judgeError, whenAgain } from "./tries/judge-error.ts"

interface FailureFacts {
  /** What is on record of it, as it is to be when the run goes on: not done. */
  readonly again?: readonly RunStep[]
  /** For a step that was called: what its retry rule makes of the error. */
  readonly judged?: Judged
  /** When this call of it began. */
  readonly startedAt?: number
  /** The steps before it, where none of them is on record. */
  readonly calls?: readonly TimedCall[]
}

export class StepFailure extends Error {
  override name = "StepFailure"
  readonly step: string
  readonly again: readonly RunStep[]
  readonly judged: Judged | undefined
  readonly startedAt: number | undefined
  readonly calls: readonly TimedCall[] | undefined

  constructor(step: string, cause: unknown, { again = [], judged, startedAt, calls }: FailureFacts = {}) {
    super(`${step}: ${describeError(cause)}`, { cause })
    this.step = step
    this.again = again
    this.judged = judged
    this.startedAt = startedAt
    this.calls = calls
  }
}

/** What a step has thrown, without its name. */
export const causeOf = (error: unknown): unknown => (isA(error, StepFailure) ? error.cause : error)

/** Then nothing may be done or said any more: another worker may have the run. */
export function isLeaseLost(error: unknown): boolean {
  const cause = causeOf(error)
  return isA(cause, EngineError) && cause.code === "lease-lost"
}

/** The attempt is over with it: the step is tried again in the next one, or whether it was done is not known now. */
export const endsAttempt = (error: unknown): boolean =>
  isLeaseLost(error) ||
  isPostponedByDatabase(causeOf(error)) ||
  (isA(error, StepFailure) && error.judged?.isTriedAgain === true)

const LONGEST = 10_000
const LONGEST_STACK = 8_000

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

/** Where it was thrown; undefined where it does not say. It is cut where it is long: its beginning says most. */
export function stackOf(error: unknown): string | undefined {
  const stack = peek(() => (isA(error, Error) ? error.stack : undefined))
  return typeof stack === "string" && stack !== "" ? describeError(stack.slice(0, LONGEST_STACK)) : undefined
}

interface Telling {
  /** The retry rule of the workflow. */
  readonly retry: RetryRule
  readonly random: () => number
}

/** `retry` judges what no step has thrown. */
export function toFailure(error: unknown, { retry, random }: Telling): Failed {
  const cause = causeOf(error)
  const failure = isA(error, StepFailure) ? error : undefined
  const { rule, verdict } = failure?.judged ?? judgeError(cause, { workflow: retry, failures: 0, runLeft: 0 })
  const pushback = pushbackOf(cause)
  return {
    verb: "fail",
    ...verdict,
    message: describeError(error),
    step: failure?.step,
    detail: { startedAt: failure?.startedAt, stack: stackOf(cause), calls: failure?.calls },
    steps: failure?.again ?? [],
    ...(pushback ? { pushback } : {}),
    ...(verdict.retryable ? whenAgain(cause, { rule, verdict, random }) : { retryAfterMs: undefined }),
    isUnlimited: retry.retries === "unlimited",
  }
}

const DEEPEST = 10

/** The steps whose failures an error comes from: it may be one, or a caller's own with one as its cause. */
export function stepsBehind(error: unknown, depth = 0): readonly string[] {
  if (!isA(error, Error) || depth > DEEPEST) return []
  const own = isA(error, StepFailure) ? [error.step] : []
  const causes = [peek(() => error.cause), ...(isA(error, AggregateError) ? error.errors : [])]
  return [...own, ...causes.flatMap((cause) => stepsBehind(cause, depth + 1))]
}
