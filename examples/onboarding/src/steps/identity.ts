// Steps that call the identity service: a session for the calls that follow, and links that prove an address.
import type { Step } from "millrace"
import { post } from "../call.ts"
import type { Submission } from "../submission.ts"

/** Returns a handle, not the token itself: what a step returns is kept with the run. */
export function exchangeToken(step: Step<Submission, { patientUuid: string }>) {
  const { patientUuid } = step.context
  return post<{ sessionId: string }>(step, "identity", "/sessions", { patientUuid })
}

export async function sendVerificationLinks(step: Step<Submission, { patientUuid: string }>) {
  const { authenticationMode, email, phone } = step.input
  if (authenticationMode !== "net_new") return
  await post(step, "identity", "/verification-links", { patientUuid: step.context.patientUuid, email, phone })
}
