// What the guard decides about a request. The rule and the reason are for operators: a caller is never told them.

export const RULES = [
  "blocked-address",
  "blocked-agent",
  "rate",
  "failures-by-address",
  "failures-by-user",
  "regularity",
] as const

export type Rule = (typeof RULES)[number]

export interface Allowed {
  readonly state: "allowed"
  /** Calls that are left in the window; undefined where no limit applies. */
  readonly remaining?: number
}

/** Served after a delay. */
export interface Throttled {
  readonly state: "throttled"
  readonly rule: Rule
  readonly reason: string
  readonly delayMs: number
}

/** Refused for now: 429 with Retry-After, RESOURCE_EXHAUSTED. */
export interface SoftBlocked {
  readonly state: "soft-blocked"
  readonly rule: Rule
  readonly reason: string
  readonly retryAfterSeconds: number
  /** The shared store is gone and the guard is set to fail closed: 503, UNAVAILABLE. The caller has done nothing wrong. */
  readonly isUnavailable?: true
}

/** Refused until an operator lifts it: 403, PERMISSION_DENIED. */
export interface HardBlocked {
  readonly state: "hard-blocked"
  readonly rule: Rule
  readonly reason: string
}

export type Verdict = Allowed | Throttled | SoftBlocked | HardBlocked

export const ALLOWED: Allowed = { state: "allowed" }
