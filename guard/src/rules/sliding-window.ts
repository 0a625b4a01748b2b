// The exact sliding window: in every interval of its length at most so many calls are admitted.

/** An interval is open at its begin: a call is outside when it is as old as the window is long. */
const isWithin = (atMs: number, nowMs: number, windowMs: number): boolean => atMs > nowMs - windowMs

/** How many of these times, oldest first, have left the window. Halved until the first within is found: there may be a million. */
export function leftWindow(timesMs: readonly number[], nowMs: number, windowMs: number): number {
  let left = 0
  let end = timesMs.length
  while (left < end) {
    const middle = (left + end) >>> 1
    if (isWithin(timesMs[middle] as number, nowMs, windowMs)) end = middle
    else left = middle + 1
  }
  return left
}

export interface Admission {
  readonly isAdmitted: boolean
  /** Calls that are left after this one. */
  readonly remaining: number
}

/** `counted` are the admitted calls in the window before this one. A refused call is not counted: it would shut its caller out for ever. */
export function admit(counted: number, most: number): Admission {
  return counted < most ? { isAdmitted: true, remaining: most - counted - 1 } : { isAdmitted: false, remaining: 0 }
}
