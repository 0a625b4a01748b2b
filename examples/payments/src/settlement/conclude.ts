// What the provider's answer means for a payment. Status and event commit together; an answer that comes twice changes nothing.
import type { Mill } from "millrace"
import { type Db, inTransaction } from "../payments/database.ts"
import { type EventType, publishPayment } from "../payments/events.ts"
import { movePayment } from "../payments/payments.ts"
import type { Status } from "../payments/status.ts"
import type { Charge } from "./provider.ts"

export interface Settling {
  readonly paymentId: string
  readonly version: number
}

export interface Conclusion {
  readonly to: Status
  readonly event: EventType
  readonly reason?: string
  readonly transaction_id?: string
  readonly is_dead_letter?: boolean
  readonly charge_round?: number
}

/** False when the payment has gone on without us: another attempt concluded it. */
export async function conclude(
  { db, mill }: { readonly db: Db; readonly mill: Mill },
  { paymentId, version }: Settling,
  { event, ...change }: Conclusion,
): Promise<boolean> {
  const moved = await inTransaction(db, async (tx) => {
    const payment = await movePayment(tx, { id: paymentId, version, status: "PROCESSING" }, change)
    if (payment) await publishPayment(mill, event, payment, tx)
    return payment
  })
  return moved !== undefined
}

/** A decline comes with HTTP 200 like a success: only the status in the body tells them apart. */
export function conclusionOf({ status, transaction_id, reason = "declined" }: Charge): Conclusion {
  if (status === "succeeded") return { to: "SETTLED", event: "payment.completed", transaction_id }
  return { to: "FAILED", event: "payment.failed", transaction_id, reason }
}
