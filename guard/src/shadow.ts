// Rules in shadow: they see every request, act on none, and what they would have done is noted once for each request.
import { type Space, subjectOf } from "./keys.ts"
import type { ShadowEvent, ShadowSettings } from "./ledger.ts"
import type { HardBlocked, Rule, SoftBlocked, Throttled } from "./verdict.ts"
import type { KnownVisit, Visit } from "./visit.ts"

export type Action = Throttled | SoftBlocked | HardBlocked

interface ShadowOptions {
  readonly fallback: ShadowSettings
  readonly note: (event: ShadowEvent) => void
  readonly date: () => Date
}

export class Shadow {
  readonly #options: ShadowOptions
  /** A request is judged before its credential and after it: the second time nothing is noted again. */
  readonly #noted = new WeakSet<Visit>()
  #settings: ShadowSettings

  constructor(options: ShadowOptions) {
    this.#options = options
    this.#settings = options.fallback
  }

  get settings(): ShadowSettings {
    return this.#settings
  }

  /** Undefined: what the process was started with. */
  use(settings: ShadowSettings | undefined): void {
    this.#settings = settings ?? this.#options.fallback
  }

  covers(rule: Rule): boolean {
    return this.#settings.rules[rule] ?? this.#settings.all
  }

  spaceOf(rule: Rule): Space {
    return this.covers(rule) ? "shadow" : "live"
  }

  /** The first rule that would have ended the request is the one that is noted: enforced, the others would not have seen it. */
  note(visit: Visit | KnownVisit, action: Action): void {
    if (this.hasNoted(visit)) return
    this.#noted.add(firstOf(visit))
    this.#options.note({
      requestId: visit.requestId,
      rule: action.rule,
      state: action.state,
      client: subjectOf(visit),
      routeClass: visit.routeClass,
      path: visit.path,
      reason: action.reason,
      at: this.#options.date(),
    })
  }

  hasNoted(visit: Visit | KnownVisit): boolean {
    return this.#noted.has(firstOf(visit))
  }
}

const firstOf = (visit: Visit | KnownVisit): Visit => ("before" in visit ? visit.before : undefined) ?? visit
