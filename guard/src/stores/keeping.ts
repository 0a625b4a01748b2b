// How much is kept of a client, in either store.

/** Request times of a client, and for how long. */
export const TIMES_KEPT = 20
export const TIMES_KEPT_MS = 3_600_000
/** Addresses that a user has signed in from. */
export const ADDRESSES_KEPT = 20
export const ADDRESSES_KEPT_MS = 30 * 86_400_000
