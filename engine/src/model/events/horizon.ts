// How far the events are settled: up to which place no transaction can bring another one.
//
// Events have places in one order, taken when they are written, and appear when their transactions commit, in any order. A relay that
// read by place alone would pass by the place of a slow transaction for good. So it reads the last place that was given out, and then
// takes a transaction number of its own. Whichever transaction has one of those places had its number before that, and is over once
// the oldest number that is still in use is not below the relay's own: from then on all places up to the last one are settled.

/** What one look at the database says. */
export interface Sighting {
  /** The last place that was given out. */
  readonly lastSeq: number
  /** A transaction number that was new after that. */
  readonly xid: number
  /** All transactions with lower numbers are over. */
  readonly xmin: number
}

export interface Horizon {
  readonly settledSeq: number
  /** Waits until all transactions below its number are over. */
  readonly pending?: Pick<Sighting, "lastSeq" | "xid">
}

export const NOTHING_SETTLED: Horizon = { settledSeq: 0 }

/** A standby that took over may be behind what was seen before: places are given out again, and nothing of them is settled. */
const hasGoneBack = ({ settledSeq, pending }: Horizon, { lastSeq }: Sighting): boolean =>
  lastSeq < settledSeq || lastSeq < (pending?.lastSeq ?? 0)

export const seeFurther = (horizon: Horizon, sighting: Sighting): Horizon =>
  see(hasGoneBack(horizon, sighting) ? NOTHING_SETTLED : horizon, sighting)

/** One sighting waits at a time: under load there is always a younger transaction, and the newest sighting would never be settled. */
function see({ settledSeq, pending }: Horizon, { lastSeq, xid, xmin }: Sighting): Horizon {
  if (xmin >= xid) return { settledSeq: Math.max(settledSeq, lastSeq) }
  const fresh = { lastSeq, xid }
  if (pending === undefined) return { settledSeq, pending: fresh }
  if (xmin < pending.xid) return { settledSeq, pending }
  return { settledSeq: Math.max(settledSeq, pending.lastSeq), pending: fresh }
}
