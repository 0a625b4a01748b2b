// What the engine knows of a consumer: by which names its marks and its jobs are kept, and how its handler is called.
import type { Transaction } from "../../../db/transaction.ts"
import type { Message } from "../../../model/events/message.ts"
import type { FailedEnd } from "../../../model/jobs/after-attempt.ts"
import type { CompiledRetryPolicy } from "../../../model/jobs/retry-delay.ts"

/** One transaction: the marks, what the handler writes and publishes, and the end of a message's job commit together. */
export interface Unit {
  /** Runs the engine's own statements in this transaction. */
  within<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** One call of the handler. */
export interface Delivery {
  /** One, or several that share the transaction. */
  readonly messages: readonly Message[]
  /** 1, 2, … */
  readonly attempt: number
  /** Aborted when one of the messages is taken away: its partition, or the lease of its job. */
  readonly signal: AbortSignal
}

export type Failure = Omit<FailedEnd, "kind">

export interface Consumer<Own extends Unit = Unit> {
  readonly group: string
  /** The name that its jobs and its lanes are kept under. */
  readonly name: string
  readonly retry: CompiledRetryPolicy
  readonly timeoutMs: number | undefined
  /** The type of the event that is published for a dead message. */
  readonly deadType: string | undefined
  /** Commits when the work resolves; whatever it throws, nothing of it is left. */
  transaction<T>(work: (unit: Own) => Promise<T>): Promise<T>
  handle(unit: Own, delivery: Delivery): Promise<void>
  /** What a throw of the handler means. */
  judge(error: unknown): Failure
}
