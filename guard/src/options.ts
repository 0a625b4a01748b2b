// What can be set, and what it is when it is not.
import { type Clock, systemClock } from "./clock.ts"
import type { Ledger, ShadowSettings } from "./ledger.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import type { Observer } from "./observer.ts"
import type { RouteClass } from "./route-class.ts"
import type { FilterSize } from "./rules/bloom-filter.ts"
import type { RhythmBounds } from "./rules/rhythm.ts"
import { TIMES_KEPT } from "./stores/keeping.ts"
import { MemoryStore } from "./stores/memory-store.ts"
import type { Store } from "./stores/store.ts"
import type { Limit } from "./visit.ts"

/** Limits by class; a class that is not named has none. `health` never has one. */
export type ClassLimits = Readonly<Partial<Record<RouteClass, Limit>>>

export interface FailureLimits {
  /** AUTH_FAILURE_IP_THRESHOLD */
  readonly byAddress: number
  /** AUTH_FAILURE_USER_THRESHOLD */
  readonly byUser: number
  /** AUTH_FAILURE_WINDOW_SECONDS */
  readonly windowMs: number
}

export interface GuardOptions {
  readonly store?: Store
  readonly ledger?: Ledger
  readonly observer?: Observer
  /** In place of RATE_LIMIT_REQUESTS calls in RATE_LIMIT_WINDOW_SECONDS for public, login and gateway. */
  readonly limits?: ClassLimits
  readonly failures?: Partial<FailureLimits>
  readonly rhythm?: Partial<RhythmBounds>
  readonly filter?: Partial<FilterSize>
  /** SHADOW_MODE_ENABLED, until an operator sets it in the ledger. */
  readonly shadow?: ShadowSettings
  /** GUARD_FAIL_MODE: what happens to calls of limited classes while the shared store is gone. */
  readonly failMode?: "open" | "closed"
  /** Blocked addresses and agents are refused before a credential is looked at. The stated order looks at credentials first. */
  readonly blocksFirst?: boolean
  /** How often the filters are made anew. */
  readonly rebuildMs?: number
  /** How often the ledger is asked what has changed; 0 where the caller calls `refresh` itself. */
  readonly refreshMs?: number
  readonly clock?: Clock
  /** From 0 to below 1. */
  readonly random?: () => number
}

export type Settings = Required<Omit<GuardOptions, "failures" | "rhythm" | "filter">> & {
  readonly failures: FailureLimits
  readonly rhythm: RhythmBounds
  readonly filter: FilterSize
}

const USUAL_LIMIT: Limit = { requests: 100, windowMs: 60_000 }

export const DEFAULT_LIMITS: ClassLimits = { public: USUAL_LIMIT, login: USUAL_LIMIT, gateway: USUAL_LIMIT }

/** Chosen on a labelled trace: decision 0030 has precision and recall. */
export const RHYTHM_BOUNDS: RhythmBounds = {
  deviationSeconds: 0.5,
  regularRatio: 0.1,
  mechanicalRatio: 0.08,
  leastMeanSeconds: 0.1,
  mostMeanSeconds: 10,
  leastTimes: 14,
  mostTimes: TIMES_KEPT,
}

export function settingsOf(options: GuardOptions): Settings {
  const clock = options.clock ?? systemClock
  return {
    store: options.store ?? new MemoryStore({ nowMs: () => clock.nowMs() }),
    ledger: options.ledger ?? new MemoryLedger(() => clock.date()),
    observer: options.observer ?? {},
    limits: options.limits ?? DEFAULT_LIMITS,
    failures: { byAddress: 10, byUser: 20, windowMs: 300_000, ...options.failures },
    rhythm: { ...RHYTHM_BOUNDS, ...options.rhythm },
    filter: { capacity: 1_000_000, errorRate: 0.001, ...options.filter },
    shadow: options.shadow ?? { all: false, rules: {} },
    failMode: options.failMode ?? "open",
    blocksFirst: options.blocksFirst ?? false,
    rebuildMs: options.rebuildMs ?? 60_000,
    refreshMs: options.refreshMs ?? 500,
    clock,
    random: options.random ?? Math.random,
  }
}
