// What is done to a payment after it was made: refunded, tried again by hand, told of by the provider.
import type { Mill } from "millrace"
import { changePayment } from "../payments/change-payment.ts"
import type { Db } from "../payments/database.ts"
import { findPayment, movePayment, type Payment } from "../payments/payments.ts"
import { REFUND, SETTLE, settlementOf } from "../settlement/job-names.ts"
import { invalid } from "./refusal.ts"

interface Books {
  readonly db: Db
  readonly mill: Mill
}

/** The money goes back by a job that commits with the status. */
export function refundPayment({ db, mill }: Books, id: string): Promise<Payment | undefined> {
  return changePayment(db, id, async (tx, payment) => {
    const moved = await movePayment(tx, payment, { to: "REFUNDED", event: "payment.refunded" })
    if (moved) await mill.enqueue(REFUND, { paymentId: id }, { tx, whenFull: "absorb" })
    return moved
  })
}

/**
 * A failed payment once more. The provider keeps what it answered to a key: after a decline it is asked under a new one. A dead letter
 * has its new key already, unless it is unknown whether the provider has charged: then the old one stays, so that it cannot charge twice.
 */
export function retryPayment({ db }: Pick<Books, "db">, id: string): Promise<Payment | undefined> {
  return changePayment(db, id, (tx, payment) => {
    const charge_round = payment.charge_round + (payment.is_dead_letter ? 0 : 1)
    const again = { to: "PENDING", event: "payment.initiated" } as const
    return movePayment(tx, payment, { ...again, charge_round, is_dead_letter: false, reason: null })
  })
}

/**
 * Anyone can send one, so it is a hint and no proof: what it says is not believed. A payment that is under way is settled once more, which
 * asks the provider under the same key and is told what is true.
 */
export async function takeWebhook({ db, mill }: Books, body: unknown): Promise<void> {
  const { transaction_id: id, status } = Object(body) as { transaction_id?: unknown; status?: unknown }
  if (typeof id !== "string" || typeof status !== "string") throw invalid("transaction_id and status must be text")
  const payment = isUuid(id) ? await findPayment(db, id) : undefined
  if (payment?.status !== "PROCESSING") return
  const unique = { key: `webhook:${id}`, for: "30s", mode: "debounce" } as const
  await mill.enqueue(SETTLE, settlementOf(payment), { unique, whenFull: "absorb" })
}

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
