// What the flood consists of.

export const JOB_TYPE = "flood"
/** To one request. */
export const ASKED_AT_ONCE = 500
/** Requests that are under way at a time. */
export const FLIGHTS = 4
export const CLAIMED_AT_ONCE = 100
/** The shortest that there is. */
export const LEASE_SECONDS = 5
/** The watermarks let enough jobs wait: workers always find work, and the gate shuts now and then. */
export const WATERMARKS = { high: 8_000, low: 5_000 }
export const TOTAL_WATERMARKS = { high: 16_000, low: 10_000 }
/** How many workers are killed, and how many are frozen. */
export const WORKERS = 4
export const ZOMBIES = 2
