// The error catalogue: every code a caller can meet, with its HTTP status and advice. `contracts/errors.yaml` is tested against it.

interface CatalogueEntry {
  readonly status: number
  readonly retryable: boolean
  readonly advice: string
}

const entry = (status: number, retryable: boolean, advice: string): CatalogueEntry => ({ status, retryable, advice })

export const errorCatalogue = {
  "bad-request": entry(
    400,
    false,
    "Correct the request as the message and details say; sending it again unchanged gives the same answer.",
  ),
  unauthenticated: entry(
    401,
    false,
    "Send an API key as `Authorization: Bearer mill_…`; `millrace keys create` makes one.",
  ),
  forbidden: entry(403, false, "Use a key whose scopes cover this call, or call from an allowed host and origin."),
  "not-found": entry(404, false, "Check the id and the path; what was finished long ago may have been retired."),
  "method-not-allowed": entry(405, false, "Use a method that the Allow header lists."),
  conflict: entry(409, false, "Read the object again: its state does not allow this call."),
  "lease-lost": entry(409, false, "Stop working on this job: its lease ended and the result was not taken."),
  "polling-disabled": entry(
    410,
    false,
    "Jobs are dispatched through Kafka in this deployment; consume the topic the message names.",
  ),
  "payload-too-large": entry(
    413,
    false,
    "Send less, as the message says. Keep large documents elsewhere and pass a reference.",
  ),
  "unsupported-format": entry(415, false, "Send JSON with `Content-Type: application/json`."),
  "misdirected-request": entry(
    421,
    false,
    "Call the engine by an allowed host name, or add the name to WE_ALLOWED_HOSTS.",
  ),
  "idempotency-mismatch": entry(
    422,
    false,
    "This Idempotency-Key was used with another body: use a new key for a new request.",
  ),
  unprocessable: entry(422, false, "Correct the fields that details names; unchanged it gives the same answer."),
  "rate-limited": entry(429, true, "Wait for the seconds in Retry-After."),
  "internal-error": entry(500, false, "This is a fault of ours: report it with the request id."),
  "bad-gateway": entry(
    502,
    true,
    "Look at the upstream: it could not be reached, or broke off before it had answered. Send again what does no harm twice.",
  ),
  backpressure: entry(503, true, "Wait for the seconds in Retry-After: the queue is above its high watermark."),
  unavailable: entry(
    503,
    true,
    "Wait for the seconds in Retry-After and send the same request again, with the same Idempotency-Key.",
  ),
  "gateway-timeout": entry(
    504,
    true,
    "Look at the upstream: it did not answer in time, and may have done what it was asked. Send again what does no harm twice.",
  ),
} as const satisfies Record<string, CatalogueEntry>

export type ErrorCode = keyof typeof errorCatalogue

export interface Violation {
  /** JSON path of the offending value, such as `$.steps[2].nextStep`. */
  readonly path: string
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
}

interface EngineErrorOptions {
  readonly details?: readonly Violation[] | undefined
  readonly retryAfterSeconds?: number | undefined
  /** A conflict over a key that something else has already: gRPC tells it from other conflicts. */
  readonly isDuplicate?: boolean
  readonly cause?: unknown
}

/** A refusal the caller can act on. Anything else that is thrown is our bug. */
export class EngineError extends Error {
  readonly code: ErrorCode
  readonly details: readonly Violation[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly isDuplicate: boolean

  constructor(code: ErrorCode, message: string, options: EngineErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = "EngineError"
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.isDuplicate = options.isDuplicate ?? false
  }

  get status(): number {
    return errorCatalogue[this.code].status
  }
}

export const badRequest = (message: string, details?: readonly Violation[]): EngineError =>
  new EngineError("bad-request", message, details ? { details } : {})
export const unprocessable = (message: string, details?: readonly Violation[]): EngineError =>
  new EngineError("unprocessable", message, details ? { details } : {})
export const notFound = (message: string): EngineError => new EngineError("not-found", message)
export const forbidden = (message: string): EngineError => new EngineError("forbidden", message)
export const conflict = (message: string): EngineError => new EngineError("conflict", message)
interface TakenKey {
  readonly definitionId: string
  readonly businessKey: string
}

/** `holder` is the instance that has the key; it may have ended meanwhile. */
export const businessKeyTaken = ({ definitionId, businessKey }: TakenKey, holder: string | undefined): EngineError =>
  new EngineError(
    "conflict",
    `an unfinished instance of ${definitionId} has the business key ${businessKey}${holder === undefined ? "" : `: ${holder}`}`,
    { isDuplicate: true },
  )
