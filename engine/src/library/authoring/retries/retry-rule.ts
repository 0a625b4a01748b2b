// What a step or a workflow says about retries, as it is written: "marked", "all", or numbers.
import { DEFAULT_BACKOFF, type RetriedErrors, type RetryRule } from "../../../model/jobs/step-retry.ts"
import { badRequest } from "../../../support/errors.ts"
import { oddOption } from "../check-authoring.ts"
import { present } from "../present.ts"
import { BACKOFF_FIELDS, type BackoffOption, readBackoff } from "./backoff.ts"

export interface RetryNumbers extends BackoffOption {
  /** How often at most. Of a workflow: 20 for the run. Of a step: its own, or else those of the run. */
  readonly retries?: number | "unlimited"
  /** "all", unless only a RetryableError is to be tried again. */
  readonly errors?: RetriedErrors
}

/**
 * "marked": only a RetryableError is tried again. "all": every error but a NonRetryableError. Numbers mean "all", so often and with
 * these delays; what is left out is 30 s, doubled each time, at most an hour.
 */
export type RetryOption = RetriedErrors | RetryNumbers

const WORDS: readonly unknown[] = ["marked", "all"]
const MOST_RETRIES = 10_000

/** `what` is the place for an error to name, such as `workflow order`. */
export function readRetryRule(what: string, option: RetryOption | undefined): RetryRule | undefined {
  if (option === undefined) return undefined
  if (typeof option === "string" && WORDS.includes(option)) return Object.freeze({ errors: option })
  if (typeof option !== "object" || option === null)
    throw badRequest(`${what}: \`retry\` must be "marked", "all" or { retries, base, factor, cap, jitter }`)
  const odd = oddOption(option, ["retries", "errors", ...BACKOFF_FIELDS])
  if (odd !== undefined) throw badRequest(`${what}: \`retry\` has an ${odd}`)
  return Object.freeze(readNumbers(what, option))
}

function readNumbers(what: string, { retries, errors = "all", ...backoff }: RetryNumbers): RetryRule {
  if (!WORDS.includes(errors)) throw badRequest(`${what}: \`retry.errors\` must be "marked" or "all"`)
  if (retries !== undefined && !isCount(retries))
    throw badRequest(`${what}: \`retry.retries\` must be a whole number from 0 to ${MOST_RETRIES}, or "unlimited"`)
  const own = Object.keys(backoff).length === 0 ? undefined : readBackoff(`${what}: retry`, backoff, DEFAULT_BACKOFF)
  return { errors, ...present({ retries, backoff: own }) }
}

const isCount = (retries: unknown): boolean =>
  retries === "unlimited" ||
  (Number.isInteger(retries) && (retries as number) >= 0 && (retries as number) <= MOST_RETRIES)
