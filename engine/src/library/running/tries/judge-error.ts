// What a retry rule makes of an error: whether the step is tried again, and when.
import { jitteredMs } from "../../../model/jobs/retry-delay.ts"
import {
  DEFAULT_BACKOFF,
  isTriedAgain,
  judgeFailure,
  type RetryRule,
  ruleOfStep,
  type Verdict,
} from "../../../model/jobs/step-retry.ts"
import { isA } from "../../../support/thrown.ts"
import { errorKind } from "../../authoring/retries/error-kind.ts"
import { backoffOf, RetryableError } from "../../authoring/retryable-error.ts"
import type { Failed } from "../outcome.ts"
import { pushbackOf } from "../pushback.ts"

export interface Judged {
  readonly rule: RetryRule
  readonly verdict: Verdict
  readonly isTriedAgain: boolean
}

interface Circumstances {
  /** What the step says of itself. */
  readonly own?: RetryRule | undefined
  readonly workflow: RetryRule
  /** How often the step has failed before. */
  readonly failures: number
  /** Retries that the run has left. */
  readonly runLeft: number
}

export function judgeError(error: unknown, { own, workflow, failures, runLeft }: Circumstances): Judged {
  const rule = ruleOfStep(own, workflow)
  const verdict = judgeFailure(rule, errorKind(error), failures)
  return { rule, verdict, isTriedAgain: isTriedAgain(verdict, runLeft) }
}

interface Retrying {
  readonly rule: RetryRule
  readonly verdict: Verdict
  readonly random: () => number
}

type When = Pick<Failed, "retryAfterMs" | "backoff" | "wakeOn">

/** How many retries there were is known here where they are the step's own, and else only to the engine. */
export function whenAgain(error: unknown, { rule, verdict: { own }, random }: Retrying): When {
  const marked = isA(error, RetryableError) ? error : undefined
  const backoff = backoffBy(marked, rule, random)
  const asked = marked ? undefined : pushbackOf(error)?.retryAfterMs
  const wakeOn = marked?.wakeOn
  return own ? { retryAfterMs: asked ?? backoff(own.spent), wakeOn } : { retryAfterMs: asked, backoff, wakeOn }
}

/** A RetryableError that says how long to wait is believed; one that does not follows the rule, where that has delays. */
function backoffBy(marked: RetryableError | undefined, { backoff }: RetryRule, random: () => number) {
  if (marked && (marked.saysDelay || !backoff)) return backoffOf(marked, random)
  return (retriesBefore: number) => jitteredMs(backoff ?? DEFAULT_BACKOFF, retriesBefore, random)
}
