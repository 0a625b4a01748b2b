// Durations on the command line: `10m` or `PT10M`, refused with a hint.
import { DURATION_HINT, formatDuration, parseDuration } from "../../model/kernel/durations.ts"
import { calledWrongly } from "../command-error.ts"
import { cellText } from "../drawing/cell-text.ts"

export function durationMs(option: string, text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  throw calledWrongly(`${option} ${cellText(text)}: must be a duration; ${DURATION_HINT}`)
}

/** The wire has ISO-8601 only. */
export const isoDuration = (option: string, text: string): string => formatDuration(durationMs(option, text))
