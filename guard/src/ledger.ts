// What the guard keeps for good and shares between replicas: blocks by operators, settings, and what it did. Counters are in the store.
import type { RouteClass } from "./route-class.ts"
import type { Rule } from "./verdict.ts"

export type BlockKind = "address" | "agent"

/** An address as `addressKey` gives it, or a user agent as `agentKey` gives it. */
export interface Blocked {
  readonly kind: BlockKind
  readonly value: string
}

export interface Block extends Blocked {
  readonly reason: string
  readonly by: string
  readonly at: Date
  /** Undefined: until an operator lifts it. */
  readonly until?: Date | undefined
}

/** Which rules only note what they would do: all of them, or those that are named. */
export interface ShadowSettings {
  readonly all: boolean
  readonly rules: Readonly<Partial<Record<Rule, boolean>>>
}

/** What a rule in shadow would have done. At most one for a request. */
export interface ShadowEvent {
  readonly requestId: string
  readonly rule: Rule
  readonly state: "throttled" | "soft-blocked" | "hard-blocked"
  /** `user:7`, `key:…`, `ip:…`. */
  readonly client: string
  readonly routeClass: RouteClass
  readonly path: string
  readonly reason: string
  readonly at: Date
}

/** A block that a rule or an operator has made, and that runs out by itself. */
export interface SoftBlock {
  /** `ip:…`, `user:…`, `key:…`. */
  readonly subject: string
  /** `blocked-address` where an operator made it. */
  readonly rule: Rule
  readonly reason: string
  readonly by?: string | undefined
  readonly at: Date
  readonly until: Date
}

export interface LedgerChanges {
  /** Handed back at the next question. */
  readonly cursor: string
  /** The settings in force now. Undefined where no operator has set any. */
  readonly shadow: ShadowSettings | undefined
  /** Blocked or unblocked since the cursor. */
  readonly blocks: readonly Blocked[]
  /** Soft blocks of addresses by operators since the cursor. */
  readonly softBlocks: readonly SoftBlock[]
  /** Subjects that were pardoned since the cursor. */
  readonly pardons: readonly string[]
}

export interface Ledger {
  /** All that are blocked now: the filters are made of them. */
  blocks(): AsyncIterable<Blocked>
  /** The exact answer, after a filter has said "perhaps". */
  findBlock(blocked: Blocked): Promise<Block | undefined>
  addBlock(block: Block): Promise<void>
  /** Whether there was one. */
  removeBlock(blocked: Blocked, by: string): Promise<boolean>
  setShadow(settings: ShadowSettings, by: string): Promise<void>
  /** Lifts soft blocks of a subject on every replica. */
  pardon(subject: string, by: string): Promise<void>
  /** Without a cursor: the settings, and a cursor to go on from. */
  changesSince(cursor: string | undefined): Promise<LedgerChanges>
  /** Called again with the same events when it fails: request id and rule identify an event. */
  noteShadowEvents(events: readonly ShadowEvent[]): Promise<void>
  noteSoftBlocks(blocks: readonly SoftBlock[]): Promise<void>
}
