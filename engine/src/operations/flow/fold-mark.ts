// From where depths are read: above the deltas that are folded, and not through the dead rows that an old snapshot keeps.

export interface FoldMark {
  /** Below it no delta is left, and none will come. */
  readonly safe: number
  /** Where reading begins. Ahead of `safe` only while some transaction stays open for long. */
  readonly after: number
  /** How far the last fold came. */
  readonly reached: number
  /** Where `safe` moves once every transaction that could still bring a lower delta has ended. */
  readonly candidate?: Candidate | undefined
}

interface Candidate {
  readonly id: number
  readonly xmax: number
  readonly sinceMs: number
}

/** What a fold has taken, and the snapshot in which it saw that there was no more. */
export interface Taken {
  /** Where the fold began. */
  readonly from: number
  readonly lowest: number | null
  readonly highest: number | null
  readonly xmin: number
  readonly xmax: number
}

export const UNMARKED: FoldMark = { safe: 0, after: 0, reached: 0 }

/** A transaction that writes anywhere on the server holds `safe`: after so long depths are read without what it may still bring. */
const PATIENCE_MS = 10_000

/**
 * A delta is appended by a statement that has changed jobs before, so its transaction has a number before the delta has one: whatever
 * is lower than a delta that was folded came from a transaction that was open then. When all of those have ended and a further
 * fold, which has looked all the way from `safe`, has met nothing below, `safe` moves.
 */
export function moveMark(mark: FoldMark, { from, lowest, highest, xmin, xmax }: Taken, nowMs: number): FoldMark {
  const { candidate } = mark
  const hasEnded = candidate && xmin >= candidate.xmax && from <= mark.safe
  const isProven = hasEnded && (lowest === null || lowest > candidate.id)
  const isLong = candidate && !isProven && nowMs - candidate.sinceMs >= PATIENCE_MS
  const safe = isProven ? Math.max(mark.safe, candidate.id) : mark.safe
  const reached = Math.max(mark.reached, highest ?? 0)
  const next = reached > safe ? { id: reached, xmax, sinceMs: nowMs } : undefined
  return {
    safe,
    after: Math.max(mark.after, safe, isLong ? mark.reached : 0),
    reached,
    candidate: isProven ? next : (candidate ?? next),
  }
}
