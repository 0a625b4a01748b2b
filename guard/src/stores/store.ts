// What the guard asks of the place where counters are kept: one call for everything that a request needs to be judged.
import type { Awaitable } from "./awaitable.ts"

/** A rule in shadow is not enforced: what it would refuse goes on, and only other rules in shadow see no more of it. */
export interface RateQuestion {
  readonly key: string
  readonly requests: number
  readonly windowMs: number
  readonly isEnforced: boolean
}

export interface KeyQuestion {
  readonly key: string
  readonly isEnforced: boolean
}

/** Answered in this order. What refuses the request ends it: nothing after it is counted. */
export interface Question {
  readonly rate?: RateQuestion | undefined
  /** Blocks that would refuse the request, enforced ones first. The first that has not run out is the answer. */
  readonly blocks: readonly KeyQuestion[]
  /** Where the times of the client's requests are kept. */
  readonly times?: KeyQuestion | undefined
}

export interface FoundBlock {
  readonly key: string
  readonly reason: string
  readonly leftMs: number
}

export interface Answer {
  /** Undefined where nothing was asked. */
  readonly rate?: { readonly isAdmitted: boolean; readonly remaining: number } | undefined
  readonly block?: FoundBlock | undefined
  /** The last times, oldest first, this one included. */
  readonly timesMs?: readonly number[] | undefined
  /** The shared store did not answer: the numbers are those of this process alone. */
  readonly isLocal?: boolean | undefined
}

export interface FailureNote {
  readonly key: string
  /** The same member counts once in a window. */
  readonly member: string
  readonly windowMs: number
  /** More than these need not be counted. */
  readonly most: number
}

/** What is known under a subject's keys: for operators, not for requests. */
export interface Look {
  /** Entries of a window or a counter, by key. */
  readonly counts: Readonly<Record<string, number>>
  readonly blocks: readonly FoundBlock[]
  /** The times in the order in which they were asked for. */
  readonly timesMs: readonly (readonly number[])[]
}

export interface LookQuestion {
  readonly windows: readonly { readonly key: string; readonly windowMs: number }[]
  readonly blocks: readonly string[]
  readonly times: readonly string[]
}

export interface StoreState {
  readonly kind: "memory" | "redis"
  readonly isUp: boolean
}

/** A memory answers at once, so that a request in one process costs no turn of the event loop. */
export interface Store {
  readonly state: StoreState
  ask(question: Question): Awaitable<Answer>
  /** How many are in each window now. */
  noteFailures(notes: readonly FailureNote[]): Awaitable<readonly number[]>
  block(key: string, reason: string, forMs: number): Awaitable<void>
  /** What is left of a block in milliseconds; 0 where there is none. */
  blockLeftMs(key: string): Awaitable<number>
  /** An address that the owner of a name signs in from. The last twenty are kept, for thirty days. */
  remember(key: string, address: string): Awaitable<void>
  isRemembered(key: string, address: string): Awaitable<boolean>
  forget(keys: readonly string[]): Awaitable<void>
  look(question: LookQuestion): Awaitable<Look>
  close(): Promise<void>
}
