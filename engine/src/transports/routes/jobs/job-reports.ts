// Reads what workers send about a job: the worker, its lease token, and the outcome.
import { type LeaseToken, parseToken } from "../../../model/jobs/reports.ts"
import type { Completion, Failure } from "../../../operations/jobs/end/report.ts"
import type { Fields } from "../../calls/fields.ts"

const LEASE_SECONDS = { min: 5, max: 3_600 }

/** Seconds; a year. */
const MAX_RETRY_AFTER = 31_536_000
const MAX_ERROR = 8_000
/** The length that the library keeps of a stack. */
const MAX_STACK = 8_000

/** A token that no job ever had, for epochs begin at 1: what cannot be read as a token was given, and must not pass for none at all. */
const FOREIGN: LeaseToken = { epoch: 0, nonce: "00000000-0000-0000-0000-000000000000" }

interface Base {
  readonly jobId: string
  readonly workerId: string
  readonly actor: string
}

export const readWorker = (body: Fields): string => body.text(["workerId", "workerID"])

/** Undefined when none was sent: then the worker's name decides. */
export function readToken(body: Fields): LeaseToken | undefined {
  const text = body.anyText("leaseToken")
  return text === undefined ? undefined : (parseToken(text) ?? FOREIGN)
}

export const readCompletion = (body: Fields, base: Base, size: number): Completion => ({
  ...base,
  verb: "complete",
  token: readToken(body),
  variables: body.object(["variables", "variablesToSet"]),
  size,
})

export function readFailure(body: Fields, base: Base): Failure {
  const retryAfterMs = milliseconds(body.number("retryAfter", { min: 0, max: MAX_RETRY_AFTER }))
  const pushback = readPushback(body, retryAfterMs)
  const stack = body.optionalLongText("stack", MAX_STACK)
  return {
    ...base,
    verb: "fail",
    token: readToken(body),
    retryable: body.optionalFlag("retryable") ?? false,
    message: body.optionalLongText("errorMessage", MAX_ERROR) ?? "",
    retryAfterMs,
    ...(pushback ? { pushback } : {}),
    ...(stack ? { detail: { stack } } : {}),
  }
}

/** No answer in time, as a gateway would put it. */
const GATEWAY_TIMEOUT = 504

/** What the system that the job called has said. A worker may ask for a pause of its own without one. */
function readPushback(body: Fields, retryAfterMs: number | undefined): Failure["pushback"] {
  const status = body.wholeNumber("downstreamStatus", { min: 100, max: 599 })
  if (status === undefined) return undefined
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  return { status, ...wait, ...(status === GATEWAY_TIMEOUT ? { timeout: true } : {}) }
}

/** Undefined for the default; what is out of range is clamped. */
export const readLeaseMs = (from: Fields): number | undefined =>
  milliseconds(from.orAbsent((each) => each.clamped("leaseSeconds", LEASE_SECONDS)))

const milliseconds = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : Math.round(seconds * 1000)
