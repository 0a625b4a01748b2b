// What an error says about another try: it asks for one, it says nothing about it, or it says that none can help.
import type { FailureKind } from "../../../model/jobs/step-retry.ts"
import { EngineError, errorCatalogue } from "../../../support/errors.ts"
import { isA, peek } from "../../../support/thrown.ts"
import { RetryableError } from "../retryable-error.ts"

/** Thrown by a step or a handler: another try would fail alike. Whatever the retry policy says, there is none. */
export class NonRetryableError extends Error {
  override name = "NonRetryableError"
}

export function errorKind(error: unknown): FailureKind {
  if (isA(error, RetryableError)) return "marked"
  // What this engine refuses it refuses again, unless it says otherwise.
  if (isA(error, EngineError)) return errorCatalogue[error.code].retryable ? "plain" : "final"
  return isA(error, NonRetryableError) || isNamedAlike(error) ? "final" : "plain"
}

/** The SDK has a class of this name too, and a handler may be used with both. */
const isNamedAlike = (error: unknown): boolean =>
  peek(() => isA(error, Error) && error.name === "NonRetryableError") === true
