// Steps that call the insurance service, for patients who have one.
import type { Step } from "millrace"
import { post } from "../call.ts"
import type { Submission } from "../submission.ts"

export async function registerInsurance(step: Step<Submission, { patientUuid: string }>) {
  const { insurance } = step.input
  if (!insurance) return
  const { patientUuid } = step.context
  return post<{ insuranceId: string }>(step, "insurance", "/policies", { patientUuid, ...insurance })
}

export async function checkEligibility(step: Step<Submission, { insuranceId?: string }>) {
  const { insuranceId } = step.context
  if (!insuranceId) return
  return post<{ copayCents: number }>(step, "insurance", "/eligibility-checks", { insuranceId })
}
