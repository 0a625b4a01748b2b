// Payments whose job has become a dead letter, because its retries are used up or its worker was lost too often: each ends as FAILED,
// with payment.dlq, once the provider has said that it is not charged and will not be. Until it says so, the payment stays PROCESSING.
import { rowsOf } from "../payments/database.ts"
import type { Payment } from "../payments/payments.ts"
import { conclude, conclusionOf } from "./conclude.ts"
import { chargeKeyOf } from "./job-names.ts"
import type { Till } from "./jobs.ts"

type DeadPayment = Payment & { readonly error: string | null }

const AT_ONCE = 50

/** How many have ended. Those of which the provider said nothing are asked for again in the next round. */
export async function giveUpDeadLetters(till: Pick<Till, "db" | "provider">): Promise<number> {
  // At random: should the provider not answer to some of them, they do not keep the others from their turn.
  const dead = await rowsOf<DeadPayment>(
    till.db,
    `select p.*, d.error from payments p join millrace_views.dead_letter_queue_item d on d.workflow_id = p.job_id
     where p.status = 'PROCESSING' order by random() limit ${AT_ONCE}`,
  )
  const given = await Promise.allSettled(dead.map((payment) => giveUp(till, payment)))
  return given.filter(({ status }) => status === "fulfilled").length
}

/**
 * It is cancelled at the provider first: the answer tells whether it is charged, declined, or never will be charged. Rejects while there is
 * no answer. A guess would either charge for a payment that was told to have failed, or hide one that has.
 */
async function giveUp({ db, provider }: Pick<Till, "db" | "provider">, payment: DeadPayment): Promise<void> {
  const settling = { paymentId: payment.id, version: payment.version }
  const charge = await provider.cancel(chargeKeyOf(payment))
  if (charge.status !== "cancelled") return void (await conclude(db, settling, conclusionOf(charge)))
  await conclude(db, settling, {
    to: "FAILED",
    event: "payment.dlq",
    is_dead_letter: true,
    // What is cancelled stays so: should an operator try the payment again, it is charged under another key.
    charge_round: payment.charge_round + 1,
    reason: `given up: ${payment.error ?? "no answer"}; cancelled at the provider`,
  })
}
