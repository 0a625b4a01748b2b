// Steps that call the profile service: what is known about the patient.
import type { Step } from "millrace"
import { post } from "../call.ts"
import type { Submission } from "../submission.ts"

type PatientStep = Step<Submission, { patientUuid: string; sessionId: string }>

export const updateAddress = (step: PatientStep) => save(step, "/address", step.input.address)

export const updatePhone = (step: PatientStep) => save(step, "/phone", { phone: step.input.phone })

export const updatePersonalData = (step: PatientStep) => save(step, "/personal-data", step.input.personal)

export const recordConsents = (step: PatientStep) => save(step, "/consents", { consents: step.input.consents })

/** Who had an account before may have clicked around without logging in. */
export async function mergeGuestSession(step: PatientStep) {
  const { authenticationMode, submissionId } = step.input
  if (authenticationMode === "net_new") return
  await save(step, "/guest-session", { submissionId })
}

export const savePreferences = (step: PatientStep) => save(step, "/preferences", step.input.preferences)

async function save(step: PatientStep, path: string, content: object) {
  const { patientUuid, sessionId } = step.context
  await post(step, "profile", path, { patientUuid, sessionId, ...content })
}
