// Turns a failed RPC into the errors that REST gives: a refusal with its catalogue code, or a TransportError.
import { ERROR_STATUS, MillraceError, TransportError, type TransportFailure } from "../calls/errors.ts"
import { withAdvice } from "../calls/with-advice.ts"
import type { Violation } from "../generated/wire.ts"
import type { BadRequest_FieldViolation } from "../proto/index.ts"
import { connectionAdvice } from "./connection-advice.ts"
import type { Proto } from "./load-proto.ts"
import { Code } from "./protocol/codes.ts"
import { binaryTrailer, type RpcFailure } from "./rpc-failure.ts"

/** The statuses that are the engine's word also without details, by the HTTP status that they mean. */
const STATUS: Readonly<Record<number, readonly [code: string, status: number]>> = {
  3: ["bad-request", 400],
  5: ["not-found", 404],
  6: ["conflict", 409],
  7: ["forbidden", 403],
  8: ["rate-limited", 429],
  9: ["conflict", 409],
  12: ["unimplemented", 501],
  13: ["internal-error", 500],
  16: ["unauthenticated", 401],
}
const TYPE = "type.googleapis.com/google.rpc."

export interface FailedCall {
  readonly url: string
  readonly method: string
  readonly timeoutMs: number
}

export function readGrpcError(error: RpcFailure, call: FailedCall, proto: Proto): MillraceError | TransportError {
  const details = readDetails(error, proto)
  const known = details.code === undefined ? STATUS[error.code] : undefined
  if (details.code === undefined && known === undefined) return transportError(error, call)
  const [code, status] = known ?? catalogued(details.code!, error.code)
  const requestId = error.trailers["x-request-id"]?.toString()
  return new MillraceError({ ...details, code, status, message: error.details || code, requestId })
}

function catalogued(code: string, grpcStatus: number): readonly [string, number] {
  const status = (ERROR_STATUS as Readonly<Record<string, number>>)[code]
  return [code, status ?? STATUS[grpcStatus]?.[1] ?? (grpcStatus === Code.UNAVAILABLE ? 503 : 500)]
}

interface Details {
  readonly code?: string
  readonly retryAfter?: number
  readonly details?: Violation[]
}

/** google.rpc.Status travels in a trailer of its own; a stranger's may be anything. */
function readDetails(error: RpcFailure, proto: Proto): Details {
  const packed = binaryTrailer(error.trailers, "grpc-status-details-bin")
  if (!packed) return {}
  try {
    const { details } = proto.Status.decode(packed)
    return Object.assign({}, ...details.map(({ typeUrl, value }) => readDetail(typeUrl, value, proto)))
  } catch {
    return {}
  }
}

function readDetail(typeUrl: string, value: Uint8Array, { ErrorInfo, RetryInfo, BadRequest }: Proto): Details {
  if (typeUrl === `${TYPE}ErrorInfo`) return { code: ErrorInfo.decode(value).reason.toLowerCase().replaceAll("_", "-") }
  if (typeUrl === `${TYPE}RetryInfo`) {
    const { seconds = 0, nanos = 0 } = RetryInfo.decode(value).retryDelay ?? {}
    return { retryAfter: Number(seconds) + nanos / 1e9 }
  }
  if (typeUrl !== `${TYPE}BadRequest`) return {}
  const { fieldViolations } = BadRequest.decode(value)
  return { details: fieldViolations.map(violationOf) }
}

/** The description is `message: hint`, and where there is a hint the message stands beside it alone. */
function violationOf({ field, description, localizedMessage }: BadRequest_FieldViolation): Violation {
  const message = localizedMessage?.message
  if (message === undefined || !description.startsWith(`${message}: `)) return { path: field, message: description }
  return { path: field, message, hint: description.slice(message.length + 2) }
}

function transportError(error: RpcFailure, { url, method, timeoutMs }: FailedCall): TransportError {
  if (error.code === Code.DEADLINE_EXCEEDED) {
    const seconds = Math.round(timeoutMs) / 1000
    return new TransportError("timeout", `no answer to ${method} within ${seconds} s`, { cause: error })
  }
  const kind = kindOf(error)
  // What broke later did speak gRPC.
  const advice = kind === "unreachable" ? connectionAdvice(error.details, url) : ""
  const message = `${what(kind, url, method)}: ${withAdvice(error.details, advice)}`
  return new TransportError(kind, message, { cause: error, staleSocket: error.reached === "unsent" })
}

function what(kind: TransportFailure, url: string, method: string): string {
  if (kind === "unreachable") return `no connection to ${url} for ${method}`
  return kind === "malformed" ? `not an answer of an engine to ${method}` : `the connection broke during ${method}`
}

function kindOf({ code, reached }: RpcFailure): TransportFailure {
  if (reached === "unconnected") return "unreachable"
  return code === Code.UNAVAILABLE || code === Code.CANCELLED ? "interrupted" : "malformed"
}
