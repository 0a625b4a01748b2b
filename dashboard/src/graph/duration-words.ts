// An ISO-8601 duration as people write it: `P2DT3H` is `2 d 3 h`.
import { parseIsoDuration } from "../../../engine/src/model/kernel/durations.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Exact, as a definition has it; what is no duration is shown as it is. */
export function durationWords(duration: string): string {
  const ms = parseIsoDuration(duration)
  if (ms === undefined) return duration
  const amounts = [
    [Math.floor(ms / DAY_MS), "d"],
    [Math.floor((ms % DAY_MS) / HOUR_MS), "h"],
    [Math.floor((ms % HOUR_MS) / MINUTE_MS), "min"],
    [(ms % MINUTE_MS) / 1_000, "s"],
  ] as const
  return amounts.flatMap(([amount, unit]) => (amount > 0 ? [`${amount} ${unit}`] : [])).join(" ")
}
