// The jobs of the settlement worker by name, and what the one that charges is given.
import type { Payment } from "../payments/payments.ts"

export const SETTLE = "settle-payment"
export const REFUND = "refund-payment"

export interface Settlement {
  readonly paymentId: string
  /** Of the payment while it is PROCESSING: what the job concludes counts for this version only. */
  readonly version: number
  readonly amount: string
  readonly currency: string
  readonly chargeKey: string
}

export const settlementOf = (payment: Payment): Settlement => ({
  paymentId: payment.id,
  version: payment.version,
  amount: payment.amount,
  currency: payment.currency,
  chargeKey: chargeKeyOf(payment),
})

/** The payment's id, so that a repeat after a crash is no second charge; with a number once it was declined and is tried again. */
export const chargeKeyOf = ({ id, charge_round }: Pick<Payment, "id" | "charge_round">): string =>
  charge_round === 1 ? id : `${id}:${charge_round}`
