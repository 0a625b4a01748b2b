// From a finding to what the door does: an enforced rule acts, a rule in shadow is noted.
import type { Observer } from "./observer.ts"
import type { Action, Shadow } from "./shadow.ts"
import type { FoundBlock } from "./stores/store.ts"
import type { Rule } from "./verdict.ts"
import type { Visit } from "./visit.ts"

/** How long a throttled request waits. */
export const DELAY_MS = 2_000

const ABUSE: ReadonlySet<Rule> = new Set(["failures-by-address", "failures-by-user", "regularity"])

export class Acting {
  readonly #shadow: Shadow
  readonly #observer: Observer

  constructor(shadow: Shadow, observer: Observer) {
    this.#shadow = shadow
    this.#observer = observer
  }

  /** The action where the rule is enforced; undefined where it is in shadow, and the request goes on. */
  on(visit: Visit, action: Action): Action | undefined {
    if (this.#shadow.covers(action.rule)) {
      this.#shadow.note(visit, action)
      return undefined
    }
    this.#tell(visit, action)
    return action
  }

  #tell({ routeClass }: Visit, action: Action): void {
    this.#observer.acted?.(action.state, action.rule, routeClass)
    if (action.rule === "rate" && !("isUnavailable" in action)) this.#observer.rateRejected?.(routeClass)
    if (ABUSE.has(action.rule) && action.state !== "hard-blocked")
      this.#observer.abuseDetected?.(action.state, action.rule)
  }
}

export const softBlocked = (rule: Rule, { reason, leftMs }: Pick<FoundBlock, "reason" | "leftMs">): Action => ({
  state: "soft-blocked",
  rule,
  reason,
  retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
})

export const throttled = (rule: Rule, reason: string): Action => ({
  state: "throttled",
  rule,
  reason,
  delayMs: DELAY_MS,
})

/** Nothing is known, and the guard is set to refuse then. */
export const unavailable = (rule: Rule): Action => ({
  state: "soft-blocked",
  rule,
  reason: "the guard cannot reach what it needs to judge, and GUARD_FAIL_MODE is closed",
  retryAfterSeconds: 1,
  isUnavailable: true,
})
