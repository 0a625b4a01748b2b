// Turns a failed RPC into the errors that REST gives: a refusal with its catalogue code, or a TransportError.
import type { ServiceError } from "@grpc/grpc-js"
import { ERROR_STATUS, MillraceError, TransportError, type TransportFailure } from "../calls/errors.ts"
import { connectionAdvice } from "./connection-advice.ts"
import type { Grpc } from "./load-grpc.ts"

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
const [CANCELLED, DEADLINE_EXCEEDED, UNAVAILABLE] = [1, 4, 14]
const TYPE = "type.googleapis.com/google.rpc."

export interface FailedCall {
  readonly url: string
  readonly method: string
  readonly timeoutMs: number
}

export function readGrpcError(
  error: ServiceError,
  call: FailedCall,
  proto: Grpc["proto"],
): MillraceError | TransportError {
  const details = readDetails(error, proto)
  const known = details.code === undefined ? STATUS[error.code] : undefined
  if (details.code === undefined && known === undefined) return transportError(error, call)
  const [code, status] = known ?? catalogued(details.code!, error.code)
  const requestId = String(error.metadata?.get("x-request-id")[0] ?? "") || undefined
  return new MillraceError({ ...details, code, status, message: error.details || code, requestId })
}

function catalogued(code: string, grpcStatus: number): readonly [string, number] {
  const status = (ERROR_STATUS as Readonly<Record<string, number>>)[code]
  return [code, status ?? STATUS[grpcStatus]?.[1] ?? (grpcStatus === UNAVAILABLE ? 503 : 500)]
}

interface Details {
  readonly code?: string
  readonly retryAfter?: number
  readonly details?: { readonly path: string; readonly message: string }[]
}

/** google.rpc.Status travels in a trailer of its own; a stranger's may be anything. */
function readDetails(error: ServiceError, proto: Grpc["proto"]): Details {
  const [packed] = error.metadata?.get("grpc-status-details-bin") ?? []
  if (!Buffer.isBuffer(packed)) return {}
  try {
    const { details } = proto.Status.decode(packed)
    return Object.assign({}, ...details.map(({ typeUrl, value }) => readDetail(typeUrl, value, proto)))
  } catch {
    return {}
  }
}

function readDetail(typeUrl: string, value: Uint8Array, { ErrorInfo, RetryInfo, BadRequest }: Grpc["proto"]): Details {
  if (typeUrl === `${TYPE}ErrorInfo`) return { code: ErrorInfo.decode(value).reason.toLowerCase().replaceAll("_", "-") }
  if (typeUrl === `${TYPE}RetryInfo`) {
    const { seconds = 0, nanos = 0 } = RetryInfo.decode(value).retryDelay ?? {}
    return { retryAfter: Number(seconds) + nanos / 1e9 }
  }
  if (typeUrl !== `${TYPE}BadRequest`) return {}
  const { fieldViolations } = BadRequest.decode(value)
  return { details: fieldViolations.map(({ field, description }) => ({ path: field, message: description })) }
}

function transportError(error: ServiceError, { url, method, timeoutMs }: FailedCall): TransportError {
  if (error.code === DEADLINE_EXCEEDED) {
    const seconds = Math.round(timeoutMs) / 1000
    return new TransportError("timeout", `no answer to ${method} within ${seconds} s`, { cause: error })
  }
  const kind = kindOf(error)
  const what =
    kind === "unreachable" ? `no connection to ${url} for ${method}` : `the connection broke during ${method}`
  const reason = plainReason(error.details)
  return new TransportError(kind, `${what}: ${reason}${connectionAdvice(reason, url)}`, { cause: error })
}

/** What grpc-js says, without what it puts around the reason: that there is no connection, the time, and a note that is empty. */
const plainReason = (details: string): string =>
  details
    .replace(/^No connection established\. Last error: (Error: )?/, "")
    .replace(/\s*\. Resolution note: *$/, "")
    .replace(/ \(\d{4}-\d\d-\d\dT[\d:.]+Z\)$/, "")

function kindOf({ code, details }: ServiceError): TransportFailure {
  if (code === UNAVAILABLE)
    return /^(No connection established|Name resolution failed)/.test(details) ? "unreachable" : "interrupted"
  return code === CANCELLED ? "interrupted" : "malformed"
}
