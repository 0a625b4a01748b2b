// POST /payments: the same key gives the same answer, however often and however many at once. The row and its event are one statement.
import { randomUUID } from "node:crypto"
import type { Answers, StoredAnswer } from "../idempotency/answers.ts"
import type { Db } from "../payments/database.ts"
import { findByKey, insertPayment, type Payment } from "../payments/payments.ts"
import type { PaymentRequest } from "./payment-request.ts"
import { Refusal } from "./refusal.ts"

export interface Shop {
  readonly db: Db
  readonly answers: Answers
  /** Counts how requests ended. */
  readonly tell: (status: "success" | "idempotent_hit" | "conflict") => void
}

type Answered = Omit<StoredAnswer, "hash">

export async function createPayment(shop: Shop, request: PaymentRequest): Promise<Answered> {
  const { answer, lock } = await shop.answers.begin(request.key)
  if (answer) return repeat(shop, request, answer)
  if (lock === undefined) return refuseBusy(shop)
  try {
    const answer = await answerFirst(shop, request)
    await shop.answers.keep(request.key, lock, answer)
    return answer
  } catch (error) {
    await shop.answers.release(request.key, lock)
    throw error
  }
}

function repeat({ tell }: Shop, { hash }: PaymentRequest, answer: StoredAnswer): Answered {
  if (answer.hash !== hash) throw otherBody()
  tell("idempotent_hit")
  return answer
}

function refuseBusy({ tell }: Shop): never {
  tell("conflict")
  throw new Refusal(409, "busy", "another request with this Idempotency-Key is under way: ask again in a moment")
}

async function answerFirst(shop: Shop, request: PaymentRequest): Promise<StoredAnswer> {
  const { key, hash, amount, currency } = request
  const row = { id: randomUUID(), idempotency_key: key, request_hash: hash, amount, currency }
  const inserted = await insertPayment(shop.db, row)
  const payment = inserted ?? (await getByKey(shop, request))
  shop.tell(inserted ? "success" : "idempotent_hit")
  return { hash: request.hash, status: 202, body: acceptedBody(payment) }
}

/** The key was taken, by a request whose answer was lost or forgotten: it is answered as that one was. */
async function getByKey({ db }: Shop, { key, hash }: PaymentRequest): Promise<Payment> {
  const payment = await findByKey(db, key)
  if (!payment) throw new Error(`the payment of key ${key} was there a moment ago`)
  if (payment.request_hash !== hash) throw otherBody()
  return payment
}

/** As it was accepted, so that a repeat is answered alike: what became of it is told by GET. */
const acceptedBody = ({ id, amount, currency, created_at }: Payment): object => ({
  payment_id: id,
  status: "PENDING",
  amount,
  currency,
  created_at: created_at.toISOString(),
})

const otherBody = (): Refusal =>
  new Refusal(422, "idempotency-mismatch", "this Idempotency-Key was used with another amount or currency")
