// Reads from what a handler threw whether the system it called pushed back: 429 or 503, a Retry-After, or no answer in time.
import { EngineError } from "../../support/errors.ts"
import { isObject } from "../../support/json.ts"
import { peek } from "../../support/thrown.ts"

export interface Pushback {
  readonly status?: number
  readonly retryAfterMs?: number
  /** The downstream did not answer in time. */
  readonly timeout?: boolean
}

type Fields = Readonly<Record<string, unknown>>

const PUSHED_BACK = new Set([429, 503])
const TIMEOUT_CODE = /^(ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_\w*TIMEOUT)$/
/** Clients wrap: the reason of a failed fetch is its cause. */
const DEEPEST = 5
/** A quota that is full comes back by tomorrow; a longer wait is a mistake of the server. */
const LONGEST_MS = 24 * 3_600_000

/** Undefined when the error says nothing of the kind. The outermost error that does is believed. */
export const pushbackOf = (error: unknown): Pushback | undefined => peek(() => search(error, 0))

function search(error: unknown, depth: number): Pushback | undefined {
  // What this engine refuses is no word of the system that the job calls.
  if (!isObject(error) || error instanceof EngineError || depth > DEEPEST) return undefined
  const fields = error as Fields
  return readPushback(fields) ?? search(fields.cause, depth + 1)
}

function readPushback(error: Fields): Pushback | undefined {
  const status = statusOf(error)
  const retryAfterMs = retryAfterOf(error)
  const timeout = error.name === "TimeoutError" || TIMEOUT_CODE.test(String(error.code))
  const pushed = status !== undefined && PUSHED_BACK.has(status)
  if (!pushed && retryAfterMs === undefined && !timeout) return undefined
  return {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(timeout ? { timeout } : {}),
  }
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
  for (const value of values) {
    const ms = millisecondsOf(value)
    if (ms !== undefined) return Math.min(LONGEST_MS, ms)
  }
  return undefined
}

const headerOf = (headers: unknown): unknown =>
  headers instanceof Headers ? headers.get("retry-after") : fieldsOf(headers)["retry-after"]

/** Seconds, or a date as HTTP writes it. */
function millisecondsOf(value: unknown): number | undefined {
  if (typeof value === "number") return value >= 0 && Number.isFinite(value) ? Math.round(value * 1000) : undefined
  if (typeof value !== "string" || value === "") return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Math.round(Number(value) * 1000)
  const at = /GMT$/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

const fieldsOf = (value: unknown): Fields => (isObject(value) ? (value as Fields) : {})
