// What a failed call of an upstream means: for the caller, and for another try.
import { GatewayRefusal } from "./refusal.ts"

const TOO_SLOW = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "ETIMEDOUT"])
/** Refused before anything was sent: what the caller sent cannot be written as a request. */
const UNFIT = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"])
/** May be repeated as often as one likes without changing anything. RFC 9110, 9.2.1. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"])

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code)

export function refusalOf(error: Error): GatewayRefusal {
  const code = codeOf(error)
  if (TOO_SLOW.has(code)) return new GatewayRefusal("gateway-timeout", "the upstream did not answer in time", error)
  if (UNFIT.has(code)) return new GatewayRefusal("bad-request", "a header of this request cannot be forwarded", error)
  return new GatewayRefusal("bad-gateway", "the upstream could not be reached, or broke off", error)
}

/** One that was too slow is not asked again: it has the first request still to do. */
export const isWorthAnotherTry = (error: Error): boolean => !TOO_SLOW.has(codeOf(error)) && !UNFIT.has(codeOf(error))

export const isSafe = (method: string | undefined): boolean => SAFE.has(method ?? "")
