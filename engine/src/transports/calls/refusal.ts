// Turns any error into the error envelope: a catalogue code and the request id, never a stack, SQL or a path.
import { asEngineError } from "../../operations/kernel/run-operation.ts"
import { badRequest, EngineError } from "../../support/errors.ts"

export interface Refusal {
  readonly error: EngineError
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** What an operator should see: a fault of ours, or a value that a decoder should have refused. */
  readonly fault: unknown
}

const OURS = new EngineError("internal-error", "something went wrong on our side; report it with the request id")

/** Fastify's own refusals, all from before a route is reached. */
const FRAMEWORK: Readonly<Record<string, EngineError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new EngineError(
    "unsupported-format",
    "send JSON, with Content-Type: application/json",
  ),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: badRequest("the body is not as long as Content-Length says"),
  FST_ERR_BAD_URL: badRequest("the path is not a valid URL path"),
  FST_ERR_MAX_PARAM_LENGTH: new EngineError("not-found", "there is no such route"),
}

export function refusalOf(thrown: unknown, requestId: string): Refusal {
  const known = asEngineError(thrown)
  const error = known instanceof EngineError ? known : (frameworkError(thrown) ?? OURS)
  const { code, message, details } = error
  return {
    error,
    body: JSON.stringify({ error: code, message, requestId, ...(details ? { details } : {}) }),
    headers: headersOf(error),
    fault: faultOf(error, thrown),
  }
}

function frameworkError(thrown: unknown): EngineError | undefined {
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown }
  const error = FRAMEWORK[String(code)]
  // The body broke off: the client has gone, and the answer will not be read.
  return error ?? (statusCode === 400 ? badRequest("the request could not be read") : undefined)
}

function headersOf({ status, code, retryAfterSeconds }: EngineError): Record<string, string> {
  if (status === 503 || status === 429) return { "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds ?? 1))) }
  return code === "unauthenticated" ? { "www-authenticate": "Bearer" } : {}
}

function faultOf(error: EngineError, thrown: unknown): unknown {
  if (error === OURS) return thrown
  return error.code === "bad-request" ? error.cause : undefined
}
