// What the relay knows of a sink: a place that takes events, and says of each what became of it.

/** An event as it leaves the database. Its id stays the same however often it is sent: receivers deduplicate by it. */
export interface OutgoingEvent {
  readonly id: string
  readonly type: string
  /** Events with the same key are sent in the order in which they were published. */
  readonly key: string | null
  /** The JSON text of the database. It is passed on as it is: a JavaScript number would round what is above 2^53. */
  readonly payload: string
  readonly headers: Readonly<Record<string, string>>
  /** Epoch milliseconds of the database. */
  readonly createdAt: number
  /** 1 unless it is said: how often it has been tried, as far as that is known. */
  readonly attempt?: number
}

/**
 * sent: the sink has it for good; `at` is where, in the sink's own words.
 * refused: it will never take this event; it is parked, and an operator decides.
 * failed: this event could not be delivered, others can: it is parked and tried again a few times.
 * retry: it takes nothing at the moment; it goes on from this event later.
 * unknown: the same, and it may have taken it: it is sent again.
 * `retryAfterMs`: how long it is left alone at least, where the sink has asked for it.
 */
export type SendOutcome =
  | { readonly kind: "sent"; readonly at?: string }
  | { readonly kind: "refused" | "unknown"; readonly reason: string }
  | { readonly kind: "failed" | "retry"; readonly reason: string; readonly retryAfterMs?: number }

export interface Sink {
  readonly name: string
  /** Several batches in one call are not slower to fail than one: they are put together while many events wait. */
  readonly takesMany?: boolean
  /**
   * One outcome for each event, in their order. It takes no event after one of the same key that it did not take:
   * those are `retry` too. Throws when it cannot say what became of the batch.
   */
  send(batch: readonly OutgoingEvent[]): Promise<readonly SendOutcome[]>
  close(): Promise<void>
}
