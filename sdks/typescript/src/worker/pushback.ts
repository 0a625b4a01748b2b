// Reads from what a handler threw whether the system it called pushed back: 429 or 503, a Retry-After, or no answer in time.
import { MillraceError } from "../calls/errors.ts"

/** The form in which it is reported to the engine. */
export interface Pushback {
  readonly downstreamStatus: number
  /** Seconds. */
  readonly retryAfter?: number
}

type Fields = Readonly<Record<string, unknown>>

const PUSHED_BACK = new Set([429, 503])
const TIMEOUT_CODE = /^(ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_\w*TIMEOUT)$/
/** How a gateway says that no answer came in time. */
const GATEWAY_TIMEOUT = 504
const UNAVAILABLE = 503
/** Clients wrap: the reason of a failed fetch is its cause. */
const DEEPEST = 5
/** A quota that is full comes back by tomorrow; a longer wait is a mistake of the server. */
const LONGEST_SECONDS = 86_400

/** Undefined when the error says nothing of the kind. The outermost error that does is believed. */
export function pushbackOf(error: unknown, depth = 0): Pushback | undefined {
  // What the engine itself refuses is no word of the system that the job calls.
  if (!isObject(error) || error instanceof MillraceError || depth > DEEPEST) return undefined
  return readPushback(error) ?? pushbackOf(error.cause, depth + 1)
}

function readPushback(error: Fields): Pushback | undefined {
  const status = statusOf(error)
  const retryAfter = retryAfterOf(error)
  const wait = retryAfter === undefined ? {} : { retryAfter }
  if (error.name === "TimeoutError" || TIMEOUT_CODE.test(String(error.code)))
    return { downstreamStatus: GATEWAY_TIMEOUT, ...wait }
  const pushed = status !== undefined && PUSHED_BACK.has(status)
  return pushed || retryAfter !== undefined ? { downstreamStatus: status ?? UNAVAILABLE, ...wait } : undefined
}

/** Under the names that HTTP clients give it. */
function statusOf(error: Fields): number | undefined {
  const response = fieldsOf(error.response)
  const found = [error.status, error.statusCode, response.status, response.statusCode].map(Number)
  return found.find((status) => Number.isInteger(status) && status >= 100 && status <= 599)
}

function retryAfterOf(error: Fields): number | undefined {
  const response = fieldsOf(error.response)
  const values = [error.retryAfter, headerOf(error.headers), headerOf(response.headers)]
  const seconds = values.map(secondsOf).find((value) => value !== undefined)
  return seconds === undefined ? undefined : Math.min(LONGEST_SECONDS, seconds)
}

const headerOf = (headers: unknown): unknown =>
  headers instanceof Headers ? headers.get("retry-after") : fieldsOf(headers)["retry-after"]

/** A number, or a date as HTTP writes it. */
function secondsOf(value: unknown): number | undefined {
  if (typeof value === "number") return value >= 0 && Number.isFinite(value) ? value : undefined
  if (typeof value !== "string" || value === "") return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value)
  const at = value.endsWith("GMT") ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {})
