// From counters to an answer: what is known about a client, and how far the guard goes.
import type { Regularity } from "./rhythm.ts"

/** Failed credentials in the window, and how many are too many. */
export interface Failures {
  readonly count: number
  readonly threshold: number
}

export interface Evidence {
  /** A block that has not run out. */
  readonly isBlocked?: boolean | undefined
  readonly byAddress?: Failures | undefined
  /** On the name of a user, for an address that this user has not signed in from: left out for the others. */
  readonly byUser?: Failures | undefined
  readonly regularity?: Regularity | undefined
}

export type AbuseRule = "failures-by-address" | "failures-by-user" | "regularity"

export interface Score {
  readonly state: "allowed" | "throttled" | "soft-blocked"
  readonly rule: AbuseRule | undefined
  readonly reason: string
}

/** From this share of a threshold on a client is slowed down. */
const SLOW_FROM = 0.7

/** The strongest answer wins. A name never blocks: else a stranger could shut its owner out by guessing. */
export function scoreOf({ isBlocked = false, byAddress, byUser, regularity }: Evidence): Score {
  if (isBlocked)
    return { state: "soft-blocked", rule: undefined, reason: "blocked before, and the block has not run out" }
  if (byAddress && byAddress.count >= byAddress.threshold)
    return failed("soft-blocked", "failures-by-address", byAddress)
  if (regularity === "mechanical") return rhythmic("soft-blocked", "calls at intervals of a machine")
  if (byAddress && isNear(byAddress)) return failed("throttled", "failures-by-address", byAddress)
  if (byUser && isNear(byUser)) return failed("throttled", "failures-by-user", byUser)
  if (regularity === "regular") return rhythmic("throttled", "calls at regular intervals")
  return { state: "allowed", rule: undefined, reason: "nothing against it" }
}

const isNear = ({ count, threshold }: Failures): boolean => count >= threshold * SLOW_FROM

const failed = (state: Score["state"], rule: AbuseRule, { count, threshold }: Failures): Score => ({
  state,
  rule,
  reason: `${count} failed credentials ${rule === "failures-by-user" ? "for this user" : "from this address"}, of at most ${threshold}`,
})

const rhythmic = (state: Score["state"], reason: string): Score => ({ state, rule: "regularity", reason })
