// The handler of payment.initiated: in one short transaction the payment becomes PROCESSING and a job to charge it is there.
//
// The provider is not called here. A call may take half a minute; a transaction that stays open so long would hold back every event that is
// published meanwhile, and a consumer that waits would hold back the partition. A job waits without either, and is tried again by itself.
import type { Mill } from "millrace"
import type { Tx } from "../payments/database.ts"
import type { PaymentEvent } from "../payments/events.ts"
import { movePayment } from "../payments/payments.ts"
import { chargeKeyOf, SETTLE, type Settlement } from "./job-names.ts"

export async function takePayment(mill: Mill, tx: Tx, event: PaymentEvent): Promise<void> {
  const { payment_id: paymentId, version, amount, currency, charge_round } = event
  const settlement: Settlement = {
    paymentId,
    version: version + 1,
    amount,
    currency,
    chargeKey: chargeKeyOf({ id: paymentId, charge_round }),
  }
  const { id } = await mill.enqueue(SETTLE, settlement, { tx, whenFull: "absorb" })
  const pending = { id: paymentId, version, status: "PENDING" } as const
  const moved = await movePayment(tx, pending, { to: "PROCESSING", event: null, job_id: id })
  // An old event, published again after the payment has gone on: its version says so.
  if (!moved) await mill.jobs.cancel(id, { tx, reason: "the payment was taken already" })
}
