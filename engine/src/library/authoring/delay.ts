// A length of time as callers of the library write it.
import { DURATION_HINT, formatDuration, parseDuration, parseIsoDuration } from "../../model/kernel/durations.ts"
import { badRequest } from "../../support/errors.ts"

/** Milliseconds, or text such as 30s, 1h30m or PT30S. */
export type Delay = number | string

/** In milliseconds; undefined when none is given. */
export function delayMs(what: string, delay: Delay | undefined): number | undefined {
  if (delay === undefined) return undefined
  const ms = typeof delay === "string" ? parseDuration(delay) : delay
  if (typeof ms === "number" && Number.isFinite(ms) && ms >= 0) return ms
  throw badRequest(`${what} must be milliseconds or a duration, not ${delay}: ${DURATION_HINT}`)
}

/** Milliseconds of a text that is a duration above zero; undefined when none is given. */
export function durationMs(what: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = typeof text === "string" ? parseDuration(text) : undefined
  if (ms !== undefined && ms > 0) return ms
  throw badRequest(`${what} is not a valid duration: ${JSON.stringify(text)}; ${DURATION_HINT}, above zero`)
}

export const isDuration = (text: unknown): boolean => typeof text === "string" && parseDuration(text) !== undefined

/** The same as ISO-8601, for a definition; a text that is ISO-8601 already stays as it was written. */
export function isoDuration(what: string, text: string | undefined): string | undefined {
  const ms = durationMs(what, text)
  return text === undefined || ms === undefined || parseIsoDuration(text) === ms ? text : formatDuration(ms)
}
