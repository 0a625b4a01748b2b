// Steps that call the payment service. A card that fails stops no run: the dunning flow asks for another one later.
import type { Step } from "millrace"
import { post } from "../call.ts"
import type { Submission } from "../submission.ts"

export function attachPaymentCard(step: Step<Submission, { patientUuid: string }>) {
  const { patientUuid } = step.context
  return post<{ paymentCardId: string }>(step, "payments", "/cards", { patientUuid, token: step.input.card.token })
}

const FULL_PRICE_CENTS = 9_900

export async function authorizePayment(step: Step<Submission, { paymentCardId?: string; copayCents?: number }>) {
  const { paymentCardId, copayCents = FULL_PRICE_CENTS } = step.context
  if (!paymentCardId) return
  return post<{ paymentId: string }>(step, "payments", "/payments", { paymentCardId, amountCents: copayCents })
}
