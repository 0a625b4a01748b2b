// Payments whose job has become a dead letter, because its retries are used up or its worker was lost too often: each ends as FAILED,
// with payment.dlq, and never while the provider may still charge it.
import { rowsOf } from "../payments/database.ts"
import type { Payment } from "../payments/payments.ts"
import { conclude, conclusionOf } from "./conclude.ts"
import { chargeKeyOf } from "./job-names.ts"
import type { Till } from "./jobs.ts"
import type { Charge } from "./provider.ts"

type DeadPayment = Payment & { readonly error: string | null }

const AT_ONCE = 50

/** How many were given up. */
export async function giveUpDeadLetters(till: Pick<Till, "db" | "mill" | "provider">): Promise<number> {
  const dead = await rowsOf<DeadPayment>(
    till.db,
    `select p.*, d.error from payments p join millrace_views.dead_letter_queue_item d on d.workflow_id = p.job_id
     where p.status = 'PROCESSING' limit ${AT_ONCE}`,
  )
  await Promise.all(dead.map((payment) => giveUp(till, payment)))
  return dead.length
}

/** It is cancelled at the provider first. Where it turns out to be charged or declined already, that is what happened. */
async function giveUp(till: Pick<Till, "db" | "mill" | "provider">, payment: DeadPayment): Promise<void> {
  const settling = { paymentId: payment.id, version: payment.version }
  const charge = await till.provider.cancel(chargeKeyOf(payment)).catch(() => undefined)
  if (charge && charge.status !== "cancelled") await conclude(till, settling, conclusionOf(charge))
  else
    await conclude(till, settling, {
      to: "FAILED",
      event: "payment.dlq",
      is_dead_letter: true,
      // A charge that was cancelled for good is tried again under another key, should an operator want it.
      charge_round: payment.charge_round + (charge ? 1 : 0),
      reason: reasonOf(payment.error, charge),
    })
}

const reasonOf = (error: string | null, charge: Charge | undefined): string =>
  `given up: ${error ?? "no answer"}; ${charge ? "cancelled at the provider" : "the provider cannot be asked whether it has charged"}`
