// The events of a payment, each published in the transaction of what it tells. The payment's id is the key: they arrive in order.
import type { CallersTx, Mill } from "millrace"
import type { Payment } from "./payments.ts"

export const EVENT_TYPES = [
  "payment.initiated",
  "payment.completed",
  "payment.failed",
  "payment.refunded",
  "payment.dlq",
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export interface PaymentEvent {
  readonly payment_id: string
  readonly version: number
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly charge_round: number
  readonly reason?: string
}

export async function publishPayment(mill: Mill, type: EventType, payment: Payment, tx: CallersTx): Promise<void> {
  const { id, version, status, amount, currency, charge_round, reason } = payment
  const event: PaymentEvent = { payment_id: id, version, status, amount, currency, charge_round }
  await mill.publish(type, reason === null ? event : { ...event, reason }, { key: id, tx })
}
