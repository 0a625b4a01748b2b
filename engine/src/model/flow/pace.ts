// The pace of a downstream: how many jobs it may be given now, and when the next. A bucket that fills at the allowed rate and holds one
// slice, so that no burst is larger; a share that is halved when the downstream pushes back and grows again by itself.

/** A downstream as it stands, read under its lock. */
export interface Pace {
  readonly perSecond: number | null
  readonly concurrency: number | null
  /** What is left of the pace since it pushed back last, and how long ago that was. */
  readonly share: number
  readonly slowedMsAgo: number
  /** Time at full pace that has not been spent. */
  readonly savedMs: number
  /** How long it still wants to be left alone. */
  readonly closedMs: number
  readonly inFlight: number
}

export interface Allowance {
  readonly count: number
  /** When it is worth asking again, where nothing else tells. */
  readonly againMs: number
  /** What one job costs, and how much can be saved up; 0 where there is no rate. */
  readonly costMs: number
  readonly sliceMs: number
}

/** Additive increase: of the full pace, each second. From a half it is back in 25 s. */
export const RECOVERY_PER_SECOND = 0.02
/** Multiplicative decrease. */
export const SLOWER_BY = 0.5
export const LEAST_SHARE = 0.01
/** A slice is what a downstream takes in this time, and one job at least. */
const SLICE_MS = 100
/** A claim that comes this late still finds its slice, and what has refilled since. */
const LATE_MS = 50
/** A claim is tried again once a third of a slice has refilled: trying for every single token would be one claim per job. */
const LOOKS_PER_SLICE = 3
/** When a place in flight becomes free, waiting claims of the same process are woken. Other processes look again after this time. */
const FULL_AGAIN_MS = 1_000

export const shareNow = ({ share, slowedMsAgo }: Pick<Pace, "share" | "slowedMsAgo">): number =>
  Math.min(1, share + (RECOVERY_PER_SECOND * slowedMsAgo) / 1_000)

export function allowanceOf(pace: Pace, wanted: number): Allowance {
  const share = shareNow(pace)
  const bucket = bucketOf(pace, share)
  const places = placesOf(pace, share)
  if (pace.closedMs > 0) return { ...bucket, count: 0, againMs: pace.closedMs }
  const count = Math.max(0, Math.min(wanted, bucket.count, places))
  const worthMs = Math.max(bucket.costMs, bucket.sliceMs / LOOKS_PER_SLICE) - (bucket.savedMs - count * bucket.costMs)
  const againMs = places - count <= 0 ? FULL_AGAIN_MS : Math.max(1, worthMs)
  return { count, againMs, costMs: bucket.costMs, sliceMs: bucket.sliceMs }
}

const placesOf = ({ concurrency, inFlight }: Pace, share: number): number =>
  concurrency === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(concurrency * share)) - inFlight

function bucketOf({ perSecond, savedMs }: Pace, share: number) {
  if (perSecond === null) return { count: Number.POSITIVE_INFINITY, costMs: 0, sliceMs: 0, savedMs: 0 }
  const costMs = 1_000 / (perSecond * share)
  const sliceMs = Math.max(costMs, SLICE_MS) + LATE_MS
  const saved = Math.min(savedMs, sliceMs)
  // Times come back from the database in whole microseconds.
  return { count: Math.max(0, Math.floor(saved / costMs + 1e-6)), costMs, sliceMs, savedMs: saved }
}
