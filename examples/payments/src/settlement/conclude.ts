// What the provider's answer means for a payment. Status and event are one statement; an answer that comes twice changes nothing.
import type { Db } from "../payments/database.ts"
import type { EventType } from "../payments/events.ts"
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
export async function conclude(db: Db, { paymentId, version }: Settling, conclusion: Conclusion): Promise<boolean> {
  const moved = await movePayment(db, { id: paymentId, version, status: "PROCESSING" }, conclusion)
  return moved !== undefined
}

/** A decline comes with HTTP 200 like a success: only the status in the body tells them apart. */
export function conclusionOf({ status, transaction_id, reason = "declined" }: Charge): Conclusion {
  if (status === "succeeded") return { to: "SETTLED", event: "payment.completed", transaction_id }
  return { to: "FAILED", event: "payment.failed", transaction_id, reason }
}
