// What may be said about one try at a step and about the tries after it: of a step, of a call in the function form, and of a workflow.
import type { RetryRule } from "../../../model/jobs/step-retry.ts"
import { badRequest } from "../../../support/errors.ts"
import { type Delay, delayMs } from "../delay.ts"
import { type RetryOption, readRetryRule } from "./retry-rule.ts"

export interface StepLimits {
  /** Which errors are tried again, how often and when; what is left out is as the workflow says. */
  readonly retry?: RetryOption
  /** How long one try may take, such as 30s: its signal is aborted then, and the try has failed. */
  readonly timeout?: Delay
}

export const LIMITS = ["retry", "timeout"]

interface Limits {
  readonly retry: RetryRule | undefined
  readonly timeoutMs: number | undefined
}

export function readLimits(what: string, { retry, timeout }: StepLimits): Limits {
  const timeoutMs = delayMs(`${what}: timeout`, timeout)
  if (timeoutMs !== undefined && timeoutMs < 1) throw badRequest(`${what}: timeout must be at least a millisecond`)
  return { retry: readRetryRule(what, retry), timeoutMs: timeoutMs && Math.ceil(timeoutMs) }
}
