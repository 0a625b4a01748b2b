// The events of a payment, each published by the statement that makes it true. The payment's id is the key: they arrive in order.

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

/**
 * Publishes the event of a payment `p`, as a part of the statement that changes it: `select millrace.publish(…)` works in any transaction
 * and from any language.
 */
export const publishing = (type: EventType): string =>
  `millrace.publish('${type}', jsonb_strip_nulls(jsonb_build_object('payment_id', p.id, 'version', p.version, 'status', p.status,
     'amount', p.amount::text, 'currency', p.currency, 'charge_round', p.charge_round, 'reason', p.reason)), p.id::text)`
