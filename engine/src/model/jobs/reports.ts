// Judges a worker's report: the token decides, not the clock.

/** `<epoch>.<uuid>` or `<epoch>.<uuid>.<place>`: which delivery, the 128 random bits that prove it, and the place in a pack. */
export interface LeaseToken {
  readonly epoch: number
  readonly nonce: string
  /** From 1 on, where the job was claimed in a pack. It may have been taken out since then: the first two are what proves the lease. */
  readonly place?: number | undefined
}

export interface Claimant {
  readonly workerId: string
  readonly token: LeaseToken | undefined
}

/** The lease that a job row or a history row remembers. */
export interface RememberedLease {
  readonly epoch: number | null
  readonly nonce: string | null
  readonly workerId: string | null
}

const TOKEN = /^([1-9]\d{0,8})\.([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?:\.([1-9]\d{0,2}))?$/

export const formatToken = ({ epoch, nonce, place }: LeaseToken): string =>
  place === undefined ? `${epoch}.${nonce}` : `${epoch}.${nonce}.${place}`

/** Undefined for anything that we never made. */
export function parseToken(text: string): LeaseToken | undefined {
  const match = text.length <= 64 ? TOKEN.exec(text) : null
  if (!match) return undefined
  const [epoch, nonce, place] = [Number(match[1]), match[2] as string, match[3]]
  return place === undefined ? { epoch, nonce } : { epoch, nonce, place: Number(place) }
}

/** Holds the jobs that are on their way through Kafka: which worker has the message is not known. */
export const KAFKA_WORKER = "millrace:kafka"

/** Whether the report comes from the last holder; a lease without nonce has been used up. */
export function holds(claimant: Claimant, lease: RememberedLease): boolean {
  if (lease.nonce === null) return false
  if (!claimant.token) return lease.workerId === claimant.workerId || lease.workerId === KAFKA_WORKER
  return lease.epoch === claimant.token.epoch && sameSecret(lease.nonce, claimant.token.nonce)
}

/** The last delivery that a worker has lost without a word about it. */
export interface LostDelivery {
  /** No later delivery went to the same worker. */
  readonly isLast: boolean
}

/**
 * Whether a worker that has lost the job, and never had a token, still decides about it: what it has done or given up for good
 * is so, whichever worker has the job now. A failure that may be retried counts once: where the worker has reported on a later
 * delivery, it may be that report again.
 */
export function maySpeakLate(
  report: Claimant & { verb: Verb; retryable?: boolean },
  { isLast }: LostDelivery,
): boolean {
  if (report.token !== undefined || report.verb === "park") return false
  return report.verb === "complete" || report.retryable !== true || isLast
}

export type Verb = "complete" | "fail" | "park"

/** What is kept of a job after its reports: the one that ended it, and how the attempt in question ended otherwise. */
export interface RememberedEnds {
  readonly last: RememberedLease & { readonly verb: Verb | null }
  readonly attempt: RememberedLease & { readonly outcome: string | null }
}

/** Whether the report says again what has been accepted from the same holder before. */
export function repeats(
  report: Claimant & { verb: Verb; retryable?: boolean },
  { last, attempt }: RememberedEnds,
): boolean {
  if (holds(report, last)) return last.verb === report.verb
  // The job was retried: a final failure is not what was accepted, and must not be told that it counted.
  return report.verb === "fail" && report.retryable === true && attempt.outcome === "failed" && holds(report, attempt)
}

/** Looks at every character, whichever differs. */
function sameSecret(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at)
  return difference === 0
}
