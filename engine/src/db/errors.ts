// Tells the database's failures apart: away (wait and try again), in each other's way (retry), or ours.
import { EngineError } from "../support/errors.ts"
import { CommitLostError } from "./transaction.ts"

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? "")

const AWAY = new Set([
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "53400",
  "25006",
  "08000",
  "08003",
  "08006",
  "08001",
  "08004",
  "08007",
])
// ENOENT is the socket of a server that is just starting again.
const AWAY_SYSTEM = /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_)/
const AWAY_TEXT =
  /(Connection terminated|connection timeout|timeout exceeded when trying to connect|Client was closed|Query read timeout|not queryable)/i

/** What the driver threw. A caller's own broken connection has the same codes, and says nothing of the database. */
const thrownByDriver = new WeakSet<object>()

export function fromDatabase(error: unknown): unknown {
  if (typeof error === "object" && error !== null) thrownByDriver.add(error)
  return error
}

/** The connection or the server, not the statement. */
export function isAway(error: unknown): boolean {
  if (error instanceof CommitLostError || typeof error !== "object" || error === null) return false
  if (!thrownByDriver.has(error)) return error instanceof EngineError && isAway(error.cause)
  const code = codeOf(error)
  return AWAY.has(code) || AWAY_SYSTEM.test(code) || AWAY_TEXT.test(String((error as Error).message ?? ""))
}

const CONTENTION = new Set(["40001", "40P01", "55P03"])

/** Deadlock, serialization failure or lock timeout: nothing was changed, the same again may work. */
export const isContention = (error: unknown): boolean => CONTENTION.has(codeOf(error))

/** Disk full, out of memory, too many locks: not the caller's fault, and it may pass. */
const isExhausted = (error: unknown): boolean => codeOf(error).startsWith("53")

export const hasSqlState = (error: unknown, state: string): boolean => codeOf(error) === state

/** Class 22: a value that should have been refused at the door. */
export const isBadValue = (error: unknown): boolean => codeOf(error).startsWith("22")

/** An error that the server has answered with, whatever it means. */
export const isServerError = (error: unknown): error is Error =>
  typeof error === "object" && error !== null && thrownByDriver.has(error) && "severity" in error

/** What a caller is told. Anything that is not a known kind stays as it is: a bug of ours. */
export function toEngineError(error: unknown): unknown {
  if (error instanceof EngineError) return error
  if (isAway(error) || isContention(error) || isExhausted(error)) {
    return new EngineError("unavailable", "the database does not answer now; nothing is lost, try again", {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  if (isBadValue(error)) return new EngineError("bad-request", "a value cannot be stored", { cause: error })
  return error
}
