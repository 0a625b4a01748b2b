// What the guard tells about itself, for metrics and logs. No value in it grows with the number of clients, but for `wouldAct` and `alarm`, which are log lines.
import type { BlockKind, ShadowEvent } from "./ledger.ts"
import type { RouteClass } from "./route-class.ts"
import type { Rule, Verdict } from "./verdict.ts"

export interface Observer {
  /** Every answer of `judge` and `beforeCredential` but plain permission. */
  readonly acted?: (state: Verdict["state"], rule: Rule, routeClass: RouteClass) => void
  readonly rateRejected?: (routeClass: RouteClass) => void
  /** `isBlocked` is false for a false positive of the filter. */
  readonly filterHit?: (filter: BlockKind, isBlocked: boolean) => void
  readonly abuseDetected?: (state: "throttled" | "soft-blocked", rule: Rule) => void
  /** A line for the log: a rule in shadow would have acted. */
  readonly wouldAct?: (event: ShadowEvent) => void
  /** A call that the shared store did not answer in time. */
  readonly storeMissed?: () => void
  /** Once at the begin and once at the end of each outage. */
  readonly storeChanged?: (isUp: boolean, reason: string) => void
  /** The filters or the settings could not be read; the old ones go on. */
  readonly ledgerFailed?: (what: string, error: unknown) => void
  /** Notes for the ledger that were given up because it did not take them. */
  readonly notesDropped?: (count: number) => void
}
