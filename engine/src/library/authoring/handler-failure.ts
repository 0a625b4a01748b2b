// What a handler threw, as the engine is told: whether another try may help, and what the system it called said about it.
import { EngineError, errorCatalogue } from "../../support/errors.ts"
import { isA } from "../../support/thrown.ts"
import type { Failed } from "../running/outcome.ts"
import { pushbackOf } from "../running/pushback.ts"
import { describeError } from "../running/step-failure.ts"

/** Thrown by a handler: another try would fail alike. */
export class NonRetryableError extends Error {
  override name = "NonRetryableError"
}

/** The reason of a handler's aborted signal, and of the failure that is reported: it ran for too long. */
export class RunTimeout extends Error {
  // As others name theirs: whoever passes the signal on to a client gets this error back from it.
  override name = "TimeoutError"

  constructor(runMs: number) {
    super(`timed out after ${runMs / 1000} s`)
  }
}

export function handlerFailure(error: unknown): Failed {
  const pushback = pushbackOf(error)
  const asked = isA(error, EngineError) ? error.retryAfterSeconds : undefined
  return {
    verb: "fail",
    retryable: mayHelp(error),
    message: describeError(error),
    retryAfterMs: asked === undefined ? pushback?.retryAfterMs : asked * 1000,
    ...(pushback ? { pushback } : {}),
  }
}

/** What this engine refuses it refuses again, unless it says otherwise. */
function mayHelp(error: unknown): boolean {
  if (isA(error, EngineError)) return errorCatalogue[error.code].retryable
  return !isA(error, NonRetryableError)
}
