// How regularly a client calls. People pause unevenly; a loop with a timer does not.

export interface Rhythm {
  readonly gaps: number
  readonly meanSeconds: number
  /** The standard deviation of the gaps. */
  readonly deviationSeconds: number
}

export interface RhythmBounds {
  /** SCRAPING_ENTROPY_THRESHOLD: gaps that deviate by less are regular, by less than half of it a machine's. */
  readonly deviationSeconds: number
  /** Deviation ÷ mean below which gaps are regular: a deviation alone would flag people who click quickly. */
  readonly regularRatio: number
  /** Below which they are a machine's. */
  readonly mechanicalRatio: number
  /** Below it calls come in bursts, as those of a page with its images: their number is the rate limit's affair. */
  readonly leastMeanSeconds: number
  /** Above it a client is a timetable, not a scraper. */
  readonly mostMeanSeconds: number
  /** Times that have to be known before a client is blocked. */
  readonly leastTimes: number
  /** Times that are kept, and that have to be known before a client is slowed down. */
  readonly mostTimes: number
}

export type Regularity = "irregular" | "regular" | "mechanical"

/** Expects times in milliseconds, oldest first. Undefined where there is no gap. */
export function rhythmOf(timesMs: readonly number[]): Rhythm | undefined {
  const gaps = timesMs.length - 1
  if (gaps < 1) return undefined
  const meanMs = ((timesMs[gaps] as number) - (timesMs[0] as number)) / gaps
  let squares = 0
  for (let at = 1; at <= gaps; at++) squares += ((timesMs[at] as number) - (timesMs[at - 1] as number) - meanMs) ** 2
  return { gaps, meanSeconds: meanMs / 1000, deviationSeconds: Math.sqrt(squares / gaps) / 1000 }
}

export function regularityOf(rhythm: Rhythm | undefined, bounds: RhythmBounds): Regularity {
  if (rhythm === undefined) return "irregular"
  const { gaps, meanSeconds, deviationSeconds } = rhythm
  if (meanSeconds < bounds.leastMeanSeconds || meanSeconds > bounds.mostMeanSeconds) return "irregular"
  const isBelow = (seconds: number, ratio: number) =>
    deviationSeconds < seconds && deviationSeconds < meanSeconds * ratio
  const times = gaps + 1
  if (times >= bounds.leastTimes && isBelow(bounds.deviationSeconds / 2, bounds.mechanicalRatio)) return "mechanical"
  return times >= bounds.mostTimes && isBelow(bounds.deviationSeconds, bounds.regularRatio) ? "regular" : "irregular"
}
