// The handler of payment.initiated: in one short transaction payments become PROCESSING and jobs to charge them are there.
//
// The provider is not called here. A call may take half a minute; a transaction that stays open so long would hold back every event that is
// published meanwhile, and a consumer that waits would hold back the partition. A job waits without either, and is tried again by itself.
import type { Mill } from "millrace"
import type { Tx } from "../payments/database.ts"
import type { PaymentEvent } from "../payments/events.ts"
import { beginProcessing } from "../payments/payments.ts"
import { chargeKeyOf, SETTLE, type Settlement } from "./job-names.ts"

/** One statement for all jobs and one for all payments, however many events have come together. */
export async function takePayments(mill: Mill, tx: Tx, events: readonly PaymentEvent[]): Promise<void> {
  const jobs = await mill.enqueueMany(SETTLE, events.map(settlementOf), { tx, whenFull: "absorb" })
  const pending = events.map(({ payment_id, version }, at) => ({ id: payment_id, version, job_id: jobs[at]?.id ?? "" }))
  const taken = await beginProcessing(tx, pending)
  // An old event, published again after the payment has gone on: its version says so.
  for (const { job_id } of pending.filter((payment) => !taken.has(payment.job_id)))
    await mill.jobs.cancel(job_id, { tx, reason: "the payment was taken already" })
}

const settlementOf = ({ payment_id, version, amount, currency, charge_round }: PaymentEvent): Settlement => ({
  paymentId: payment_id,
  version: version + 1,
  amount,
  currency,
  chargeKey: chargeKeyOf({ id: payment_id, charge_round }),
})
