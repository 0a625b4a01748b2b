// Steps that call the care service: from the answers to the questionnaire to the place in the programme.
import type { Step } from "millrace"
import { post } from "../call.ts"
import type { Submission } from "../submission.ts"

export function saveAnswers(step: Step<Submission, { patientUuid: string }>) {
  const { patientUuid } = step.context
  return post<{ questionnaireId: string }>(step, "care", "/questionnaires", {
    patientUuid,
    answers: step.input.answers,
  })
}

export function openVisit(step: Step<Submission, { patientUuid: string; questionnaireId: string }>) {
  const { patientUuid, questionnaireId } = step.context
  return post<{ visitUuid: string }>(step, "care", "/visits", { patientUuid, questionnaireId })
}

export function assignClinician(step: Step<Submission, { visitUuid: string }>) {
  const { visitUuid } = step.context
  return post<{ clinicianId: string }>(step, "care", "/assignments", { visitUuid, state: step.input.address.state })
}

export function checkout(step: Step<Submission, { visitUuid: string; paymentId?: string }>) {
  const { visitUuid, paymentId } = step.context
  return post<{ orderId: string }>(step, "care", "/orders", { visitUuid, paymentId })
}

export function enrolInProgramme(step: Step<Submission, { patientUuid: string; orderId: string }>) {
  const { patientUuid, orderId } = step.context
  const { programme } = step.input
  return post<{ enrolmentId: string }>(step, "care", "/enrolments", { patientUuid, orderId, programme })
}

export function bookFollowUp(step: Step<Submission, { visitUuid: string; clinicianId: string; enrolmentId: string }>) {
  const { visitUuid, clinicianId, enrolmentId } = step.context
  return post<{ followUpId: string }>(step, "care", "/follow-ups", { visitUuid, clinicianId, enrolmentId })
}
