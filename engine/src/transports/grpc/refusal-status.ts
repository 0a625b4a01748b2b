// A refusal as gRPC says it: the status of the catalogue, and the details of google.rpc that clients read by type.
import { Code, type CodeName } from "@millrace/sdk/grpc-protocol"
import { type Any, BadRequest, BadRequest_FieldViolation, ErrorInfo, RetryInfo, Status } from "@millrace/sdk/proto"
import type { EngineError, ErrorCode, Violation } from "../../support/errors.ts"
import { errorCatalogue } from "../../support/errors.ts"
import type { Trailers } from "./http2/trailers.ts"

/** The status of each code, as in contracts/errors.yaml. */
export const GRPC_STATUS: Readonly<Record<ErrorCode, CodeName>> = {
  "bad-request": "INVALID_ARGUMENT",
  unauthenticated: "UNAUTHENTICATED",
  forbidden: "PERMISSION_DENIED",
  "not-found": "NOT_FOUND",
  "method-not-allowed": "UNIMPLEMENTED",
  conflict: "FAILED_PRECONDITION",
  "lease-lost": "FAILED_PRECONDITION",
  "polling-disabled": "FAILED_PRECONDITION",
  "payload-too-large": "RESOURCE_EXHAUSTED",
  "unsupported-format": "INVALID_ARGUMENT",
  "misdirected-request": "PERMISSION_DENIED",
  "idempotency-mismatch": "INVALID_ARGUMENT",
  unprocessable: "INVALID_ARGUMENT",
  "rate-limited": "RESOURCE_EXHAUSTED",
  "internal-error": "INTERNAL",
  "bad-gateway": "UNAVAILABLE",
  backpressure: "RESOURCE_EXHAUSTED",
  unavailable: "UNAVAILABLE",
  "gateway-timeout": "UNAVAILABLE",
}

const DOMAIN = "millrace"
const TYPE_URL = "type.googleapis.com/google.rpc."
/** Trailers travel in one header block, and clients take 8 kB of it: only the first violations of a very long list are sent. */
const MOST_VIOLATION_BYTES = 4_000

type Violated = BadRequest_FieldViolation

interface RefusalStatus {
  readonly code: number
  readonly details: string
  readonly trailers: Trailers
}

export function refusalStatus(error: EngineError, requestId: string): RefusalStatus {
  const code = Code[error.isDuplicate ? "ALREADY_EXISTS" : GRPC_STATUS[error.code]]
  const details = [errorInfo(error, requestId), ...retryInfo(error), ...badRequest(error)]
  const message = error.message.slice(0, 1_000)
  const packed = Buffer.from(Status.encode({ code, message, details }).finish()).toString("base64")
  return { code, details: message, trailers: { "grpc-status-details-bin": packed } }
}

const packed = (name: string, value: Uint8Array): Any => ({ typeUrl: TYPE_URL + name, value: Buffer.from(value) })

const errorInfo = ({ code }: EngineError, requestId: string): Any =>
  packed("ErrorInfo", ErrorInfo.encode({ reason: code, domain: DOMAIN, metadata: { requestId } }).finish())

/** The counterpart of Retry-After in REST: present where another try may help, with the time to wait first. */
function retryInfo({ code, retryAfterSeconds = 1 }: EngineError): Any[] {
  if (!errorCatalogue[code].retryable) return []
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds))
  return [packed("RetryInfo", RetryInfo.encode({ retryDelay: { seconds, nanos: 0 } }).finish())]
}

function badRequest({ details = [] }: EngineError): Any[] {
  const fieldViolations: Violated[] = []
  let bytes = 0
  for (const violation of details) {
    const violated = fieldViolation(violation)
    bytes += BadRequest_FieldViolation.encode(violated).finish().length
    if (bytes > MOST_VIOLATION_BYTES && fieldViolations.length > 0) break
    fieldViolations.push(violated)
  }
  return details.length === 0 ? [] : [packed("BadRequest", BadRequest.encode({ fieldViolations }).finish())]
}

/** The description says all; where that is a hint too, the message alone stands beside it, by which a client tells them apart. */
const fieldViolation = ({ path, message, hint }: Violation): Violated =>
  hint === undefined
    ? { field: path, description: message, localizedMessage: undefined }
    : { field: path, description: `${message}: ${hint}`, localizedMessage: { locale: "en", message } }
