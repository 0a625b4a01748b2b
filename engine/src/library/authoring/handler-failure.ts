// What a handler threw, as the engine is told: whether another try may help, and what the system it called said about it.
import { EngineError } from "../../support/errors.ts"
import { isA } from "../../support/thrown.ts"
import type { Failed } from "../running/outcome.ts"
import { pushbackOf } from "../running/pushback.ts"
import { describeError, stackOf } from "../running/step-failure.ts"
import { errorKind } from "./retries/error-kind.ts"

/** The reason of a handler's aborted signal, and of the failure that is reported: it ran for too long. */
export class RunTimeout extends Error {
  // The name that other libraries use: a handler that passes the signal on to a client gets this error back from it.
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
    retryable: errorKind(error) !== "final",
    message: describeError(error),
    detail: { stack: stackOf(error) },
    retryAfterMs: asked === undefined ? pushback?.retryAfterMs : asked * 1000,
    ...(pushback ? { pushback } : {}),
  }
}
