// How payment.initiated reaches the worker: from Kafka where there is one, else from the database alone; each event is processed once.
//
// `mill.consume` marks the event as processed in the first row of the transaction in which the work commits. A second delivery waits for
// the first to end, finds its mark and does nothing. It is the event's own id that is marked: an event that the relay sends again has a new
// offset in Kafka, but no new id.
import type { Mill, Subscription } from "millrace"
import { type Db, inTransaction, type Tx } from "../payments/database.ts"
import type { PaymentEvent } from "../payments/events.ts"
import { takePayments } from "./take-payments.ts"

export const GROUP = "settlement-worker"
/** Events that have come while others were taken share a transaction. */
const TOGETHER = 100

interface Counter {
  readonly db: Db
  readonly mill: Mill
}

export function subscribe({ db, mill }: Counter, concurrency = 8): Promise<Subscription> {
  return mill.consume<Tx>(
    "payment.initiated",
    { group: GROUP, batch: TOGETHER, transaction: (work) => inTransaction(db, work), concurrency },
    ({ events, tx }) =>
      takePayments(
        mill,
        tx,
        events.map(({ payload }) => payload as unknown as PaymentEvent),
      ),
  )
}
