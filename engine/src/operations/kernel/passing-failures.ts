// Failures in the work of the loops that are not the fault of that work.
import { hasSqlState, isAway, isContention } from "../../db/errors.ts"
import { NEWER_VERSION } from "../../store/definitions/definitions.ts"
import { LOST_TERM } from "../../store/upkeep/pulse.ts"
import { EngineError } from "../../support/errors.ts"

/** The whole round is lost: the database is away, or another process leads now. */
export const concernsAll = (error: unknown): boolean => isAway(error) || hasSqlState(error, LOST_TERM)

/** Passes by itself: another transaction holds a lock, a newer version has come, or too much waits for the database. */
export const mayPass = (error: unknown): boolean =>
  isContention(error) ||
  hasSqlState(error, NEWER_VERSION) ||
  (error instanceof EngineError && error.code === "unavailable")
