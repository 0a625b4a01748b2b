// The guard as its doors and its operators use it: REST, gRPC and the gateway ask the same three questions.

import type { Space } from "./keys.ts"
import type { Block, Blocked, ShadowSettings } from "./ledger.ts"
import type { RouteClass } from "./route-class.ts"
import type { Rhythm } from "./rules/rhythm.ts"
import type { StoreState } from "./stores/store.ts"
import type { Rule, Verdict } from "./verdict.ts"
import type { FailedCredential, KnownVisit, Limit, Visit } from "./visit.ts"

/**
 * Verdicts are what the door has to do: a rule in shadow mode has been noted and is not in them. Not promises where the answer is
 * known without the shared store.
 */
export interface Guard {
  /**
   * First of all, for a caller that needs no `beforeCredential`: the blocks of operators where they come before credentials, and nothing
   * else. What others at its address have tried does not count for a caller that has proved itself.
   */
  beforeAll(visit: Visit): Verdict | Promise<Verdict>
  /**
   * Before a credential is looked up or a password is hashed, and only then: a credential that this process knows to be good needs no
   * question, so that an office goes on working while one of its neighbours guesses. It uses what this process knows, and no network but
   * for an attempt on a user name that would be slowed down. `user` where a password is tried: failures on a name slow unknown addresses, and
   * never bar one that its owner has signed in from.
   */
  beforeCredential(visit: Visit, user?: string): Verdict | Promise<Verdict>
  /** After authentication: blocks, limits, and how regularly the client calls. One call of the shared store at most. */
  judge(visit: KnownVisit): Verdict | Promise<Verdict>
  /**
   * Counts it. Refused where the address had used up its guesses while this one was looked at: of many that are sent at once, no more are
   * told that they were wrong than of as many one after the other.
   */
  credentialFailed(visit: Visit, failed: FailedCredential): Verdict | Promise<Verdict>
  /**
   * For a credential that turned out to be good, and that this process did not know before. Refused as above, else the right one among
   * many at once would be told. Remembers the address as one that this user signs in from.
   */
  signedIn(visit: Visit, user?: string): Verdict | Promise<Verdict>
  /** Whether the owner of the name has signed in from this address: such a caller keeps a place where the others are taken. */
  isOwners(visit: Visit, user: string): boolean | Promise<boolean>
  /** Waits for the delay of a throttled request; false when too many wait already, or the caller has gone: the request is refused instead. */
  hold(delayMs: number, gone?: AbortSignal): Promise<boolean>
  /** For a request that could not be held: the delay, and up to three seconds by chance so that not all come back together. */
  retryAfterSeconds(delayMs: number): number
}

/** What operators do and see. Changes count in this process at once and on the others when they `refresh`. */
export interface RunningGuard extends Guard {
  /** Reads filters and settings from the ledger, and again from time to time. Until then nothing is blocked. */
  start(): Promise<void>
  /** Reads what has changed in the ledger. */
  refresh(): Promise<void>
  /** Makes the filters anew. If that fails, the old ones stay and the observer is notified. */
  rebuild(): Promise<void>
  block(
    block: Blocked & { readonly reason: string; readonly by: string; readonly until?: Date | undefined },
  ): Promise<void>
  /** Whether it was blocked. */
  unblock(blocked: Blocked, by: string): Promise<boolean>
  /** Refuses all calls from an address for a while, 300 s unless said otherwise. */
  softBlock(
    address: string,
    block: { readonly reason: string; readonly by: string; readonly forMs?: number },
  ): Promise<void>
  /** Lifts soft blocks and forgets failures and rhythm of `ip:…`, `user:…`, `key:…` or `name:<user name>`. Whether there was a block. */
  forgive(subject: string, by: string): Promise<boolean>
  setShadow(settings: ShadowSettings, by: string): Promise<void>
  /** The numbers behind a verdict, for `ip:…`, `agent:…`, `user:…`, `key:…`, `name:<user name>`. */
  why(subject: string): Promise<Explanation>
  readonly shadow: ShadowSettings
  readonly counts: GuardCounts
  /** Hands what waits to the ledger. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface GuardCounts {
  /** Loaded into the filters. */
  readonly addresses: number
  readonly agents: number
  readonly store: StoreState
  /** Throttled requests that wait now. */
  readonly held: number
}

export interface Explanation {
  readonly subject: string
  readonly hardBlock: Block | undefined
  /** What the filter alone says. */
  readonly isInFilter: boolean
  readonly softBlocks: readonly {
    readonly rule: Rule
    readonly space: Space
    readonly reason: string
    readonly leftSeconds: number
  }[]
  /** Calls in the window, by class; undefined for a limit of the client's own. */
  readonly windows: readonly {
    readonly routeClass: RouteClass | undefined
    readonly space: Space
    readonly count: number
    readonly limit: Limit | undefined
  }[]
  readonly failures: readonly {
    readonly space: Space
    readonly count: number
    readonly threshold: number
    readonly windowSeconds: number
  }[]
  readonly rhythm: Rhythm | undefined
}
