// Tells the database's failures apart: away (wait and try again), in each other's way (retry), or ours.
import { EngineError } from "../support/errors.ts"
import { isA } from "../support/thrown.ts"
import { isFatal, troubleOf } from "./sql-states.ts"
import { CommitLostError } from "./transaction.ts"
import { UnconfirmedCommitError } from "./unconfirmed-commit.ts"

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? "")

// ENOENT is the socket of a server that is just starting again.
const AWAY_SYSTEM =
  /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|ENOTFOUND|EHOST|ENET|EADDRNOTAVAIL|EPROTO|EAI_|EMFILE|ENFILE|ERR_(SOCKET|STREAM)_)/
const AWAY_TEXT =
  /(Connection terminated|connection timeout|timeout exceeded when trying to connect|Client was closed|Query read timeout|not queryable)/i

/** What the driver threw. A caller's own broken connection has the same codes, and says nothing of the database. */
const thrownByDriver = new WeakSet<object>()

export function fromDatabase(error: unknown): unknown {
  if (typeof error === "object" && error !== null) thrownByDriver.add(error)
  return error
}

/** An error that the server has answered with, whatever it means. */
export const isServerError = (error: unknown): error is Error => isOfDriver(error) && "severity" in error

const isOfDriver = (error: unknown): error is Error =>
  typeof error === "object" && error !== null && thrownByDriver.has(error)

/** The connection or the server, not the statement. */
export function isAway(error: unknown): boolean {
  if (isA(error, EngineError)) return isAway(error.cause)
  return isOfDriver(error) && !(error instanceof CommitLostError) && isAwayByItself(error)
}

/** Expects an error that is known to come from a connection of ours. */
export function isAwayByItself(error: object): boolean {
  if (error instanceof UnconfirmedCommitError) return true
  if ("severity" in error) return troubleOf(error) === "away" || isFatal(error)
  return AWAY_SYSTEM.test(codeOf(error)) || AWAY_TEXT.test(String((error as Error).message ?? ""))
}

/** Deadlock, serialization failure or lock timeout: nothing was changed, the same again may work. */
export const isContention = (error: unknown): boolean => troubleOf(errorLike(error)) === "contention"

/** Cancelled, out of space, in use: not the statement's fault, and it may pass. On whichever connection. */
export const isPassing = (error: unknown): boolean => troubleOf(errorLike(error)) === "passing"

/** Our role may not, or our database is not there. */
export const isRefusal = (error: unknown): boolean => isOfDriver(error) && troubleOf(error) === "refused"

/** A statement of ours that was not done, by no fault of its own: it is tried again, and what it belongs to does not fail for it. */
export function isPostponed(error: unknown): boolean {
  if (isA(error, EngineError)) return isPostponed(error.cause)
  return isAway(error) || (isOfDriver(error) && troubleOf(error) !== undefined)
}

/** What an operator should hear of: it concerns more than the request that has met it. */
export const isTrouble = (error: unknown): boolean =>
  isAway(error) || isRefusal(error) || (isOfDriver(error) && isPassing(error))

const errorLike = (error: unknown): object => (typeof error === "object" && error !== null ? error : {})

export const hasSqlState = (error: unknown, state: string): boolean => codeOf(error) === state

/** Class 22: a value that should have been refused at the door. */
export const isBadValue = (error: unknown): boolean => codeOf(error).startsWith("22")

/** The error that a caller gets. An error of no known kind stays as it is: it is a bug of ours. */
export function toEngineError(error: unknown): unknown {
  if (error instanceof EngineError) return error
  if (isTrouble(error) || isContention(error)) {
    return new EngineError("unavailable", "the database does not answer now; nothing is lost, try again", {
      retryAfterSeconds: 1,
      cause: error,
    })
  }
  if (isBadValue(error)) return new EngineError("bad-request", "a value cannot be stored", { cause: error })
  return error
}
