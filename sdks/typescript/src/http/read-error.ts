// Turns a refusing HTTP answer into a MillraceError, also when a proxy and not the engine wrote it.

import { MillraceError } from "../calls/errors.ts"
import type { Violation } from "../generated/wire.ts"
import type { HttpResponse } from "./http-transport.ts"

/** The envelope, of which a stranger's answer may have nothing. */
interface Envelope {
  readonly error?: unknown
  readonly message?: unknown
  readonly requestId?: unknown
  readonly details?: unknown
}

export function readError(response: HttpResponse): MillraceError {
  const { error, message, requestId, details } = readEnvelope(response.text)
  return new MillraceError({
    code: textOr(error, `http-${response.status}`),
    status: response.status,
    message: textOr(message, `the engine answered ${response.status}`),
    requestId: typeof requestId === "string" ? requestId : undefined,
    details: Array.isArray(details) ? (details as Violation[]) : undefined,
    retryAfter: readRetryAfter(response.headers["retry-after"]),
    location: response.headers.location,
  })
}

function readEnvelope(text: string): Envelope {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === "object" && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** Seconds; the date form, which proxies may send, is not worth a clock. */
function readRetryAfter(header: string | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise
