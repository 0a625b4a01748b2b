// Publishes what must not be refused: it tells of something that was accepted before, however many events wait for their sinks.
import type { Transaction } from "../../db/transaction.ts"
import { appendEvents as appendRows, type NewEvent } from "../../store/events/events.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { relaysOf } from "./relays.ts"

export function appendEvents(kernel: Kernel, tx: Transaction, events: readonly NewEvent[]): void {
  if (events.length === 0) return
  appendRows(tx, events)
  tx.afterCommit(() => {
    kernel.metrics.eventsPublished.inc(events.length)
    relaysOf(kernel).wake()
  })
}
