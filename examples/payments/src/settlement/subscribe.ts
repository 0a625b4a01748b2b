// How payment.initiated reaches the worker: from Kafka where there is one, else from the database alone; each event is processed once.
//
// `mill.consume` marks the event as processed in the first row of the transaction in which the work commits. A second delivery waits for
// the first to end, finds its mark and does nothing. It is the event's own id that is marked: an event that the relay sends again has a new
// offset in Kafka, but no new id.
import type { Mill, Subscription } from "millrace"
import { type Db, inTransaction, type Tx } from "../payments/database.ts"
import type { PaymentEvent } from "../payments/events.ts"
import { takePayment } from "./take-payment.ts"

export const GROUP = "settlement-worker"

interface Counter {
  readonly db: Db
  readonly mill: Mill
}

export function subscribe({ db, mill }: Counter, concurrency = 8): Promise<Subscription> {
  return mill.consume<Tx>(
    "payment.initiated",
    { group: GROUP, transaction: (work) => inTransaction(db, work), concurrency },
    ({ event, tx }) => takePayment(mill, tx, event.payload as unknown as PaymentEvent),
  )
}
