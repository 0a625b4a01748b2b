// A length of time as callers of the library write it.
import { DURATION_HINT, parseDuration } from "../../model/kernel/durations.ts"
import { badRequest } from "../../support/errors.ts"

/** Milliseconds, or ISO-8601 text such as PT30S. */
export type Delay = number | string

/** In milliseconds; undefined when none is given. */
export function delayMs(what: string, delay: Delay | undefined): number | undefined {
  if (delay === undefined) return undefined
  const ms = typeof delay === "string" ? parseDuration(delay) : delay
  if (typeof ms === "number" && Number.isFinite(ms) && ms >= 0) return ms
  throw badRequest(`${what} must be milliseconds or a duration, not ${delay}: ${DURATION_HINT}`)
}
