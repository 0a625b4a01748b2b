// The body and the key of POST /payments, read strictly: what does not fit is 422, before anything is locked or written.
import { createHash } from "node:crypto"
import { decimal, minorUnits } from "../payments/money.ts"
import { invalid } from "./refusal.ts"

export interface PaymentRequest {
  readonly key: string
  /** Decimal text. */
  readonly amount: string
  readonly currency: string
  /** The same for "12.5", "12.50" and 1250: it is the meaning that may not change under a key. */
  readonly hash: string
}

const MOST_KEY = 200

export function readPaymentRequest(key: unknown, body: unknown): PaymentRequest {
  if (typeof key !== "string" || key.trim() === "" || key.length > MOST_KEY)
    throw invalid(`the header Idempotency-Key is missing or longer than ${MOST_KEY} characters`)
  if (typeof body !== "object" || body === null)
    throw invalid("the body must be a JSON object with amount and currency")
  const { amount, currency } = body as { amount?: unknown; currency?: unknown }
  const minor = minorUnits(amount)
  if (minor === undefined)
    throw invalid('amount must be above zero: decimal text such as "12.50", or whole minor units such as 1250')
  if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency))
    throw invalid("currency must be three capital letters, such as EUR")
  const hash = createHash("sha256").update(`${minor} ${currency}`).digest("base64url")
  return { key, amount: decimal(minor), currency, hash }
}
