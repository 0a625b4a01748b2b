// What a call to the engine can throw: a refusal by the engine, or a failure to reach it.
import type { Violation } from "../generated/wire.ts"

/** The catalogue of `contracts/errors.yaml` with the status of each; an engine newer than this SDK may know more codes. */
export const ERROR_STATUS = {
  "bad-request": 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  "method-not-allowed": 405,
  conflict: 409,
  "lease-lost": 409,
  "polling-disabled": 410,
  "payload-too-large": 413,
  "unsupported-format": 415,
  "misdirected-request": 421,
  "idempotency-mismatch": 422,
  unprocessable: 422,
  "rate-limited": 429,
  "internal-error": 500,
  "bad-gateway": 502,
  backpressure: 503,
  unavailable: 503,
  "gateway-timeout": 504,
} as const
/** A code of the catalogue. */
export type ErrorCode = keyof typeof ERROR_STATUS

interface Refusal {
  readonly code: string
  readonly status: number
  readonly message: string
  /** The engine's own words, where the message says more. */
  readonly reason?: string
  readonly requestId?: string | undefined
  readonly details?: readonly Violation[] | undefined
  readonly retryAfter?: number | undefined
  readonly location?: string | undefined
}

// 502 and 504 come from a proxy in front of the engine: it never answered.
const RETRYABLE_STATUS = new Set([429, 502, 503, 504])

/** The engine answered and refused. */
export class MillraceError extends Error {
  /** A code of the catalogue, or `http-<status>` when something between us and the engine answered. */
  readonly code: ErrorCode | (string & {})
  readonly status: number
  /** The engine's own words; `message` may add what to do. */
  readonly reason: string
  readonly requestId: string | undefined
  readonly details: readonly Violation[] | undefined
  /** Seconds the engine asks us to wait. */
  readonly retryAfter: number | undefined
  /** Where a redirect points. It is not followed: the key stays with the engine it was given for. */
  readonly location: string | undefined
  /** True when the same request may succeed later. */
  readonly retryable: boolean

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.name = "MillraceError"
    this.code = refusal.code
    this.status = refusal.status
    this.reason = refusal.reason ?? refusal.message
    this.requestId = refusal.requestId
    this.details = refusal.details
    this.retryAfter = refusal.retryAfter
    this.location = refusal.location
    this.retryable = RETRYABLE_STATUS.has(refusal.status)
  }

  /** The same refusal, with a sentence of what to do about it. */
  advise(advice: string): MillraceError {
    const said = /[.!?]$/.test(this.message) ? this.message : `${this.message}.`
    return new MillraceError({ ...this, message: `${said} ${advice}` })
  }
}

/** The engine is older than the call: it knows no such route or RPC. */
export class ServerTooOldError extends MillraceError {
  /** The version that the engine reported. */
  readonly serverVersion: string | undefined

  constructor(refusal: MillraceError, message: string, serverVersion: string | undefined) {
    super({ ...refusal, code: "server-too-old", message })
    this.name = "ServerTooOldError"
    this.serverVersion = serverVersion
  }
}

/**
 * - `unreachable`: no connection, the request was never sent;
 * - `interrupted`: the connection broke, the engine may or may not have acted;
 * - `timeout`: no answer in time, likewise;
 * - `malformed`: the answer is not what an engine answers.
 */
export type TransportFailure = "unreachable" | "interrupted" | "timeout" | "malformed"

/** What answered instead of HTTP: an address that is not the engine's REST port. */
export type SpokenProtocol = "TLS" | "gRPC" | "unknown"

interface TransportDetails {
  readonly cause?: unknown
  readonly staleSocket?: boolean
  readonly spoken?: SpokenProtocol | undefined
}

/** The engine could not be reached, or its answer did not arrive. */
export class TransportError extends Error {
  readonly kind: TransportFailure
  readonly retryable = true
  /** The connection had served before and was closed under us: almost surely the engine never saw the request. */
  readonly staleSocket: boolean
  /** Set where something answered, but not in HTTP. */
  readonly spoken: SpokenProtocol | undefined

  constructor(kind: TransportFailure, message: string, options: TransportDetails = {}) {
    super(message, { cause: options.cause })
    this.name = "TransportError"
    this.kind = kind
    this.staleSocket = options.staleSocket ?? false
    this.spoken = options.spoken
  }
}
