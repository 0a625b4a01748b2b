// What the other five services do: create what they are asked for, once for each patient, visit, policy or card.
import { created, done } from "./created.ts"
import type { Answer, Routes } from "./service.ts"

export const identity: Routes = {
  "POST /sessions": ({ body }) => created("sessionId", `session ${body.patientUuid}`),
  "POST /verification-links": ({ body }) => done(`verification links ${body.patientUuid}`),
}

export const profile: Routes = {
  "POST /address": ({ body }) => done(`address ${body.patientUuid}`),
  "POST /phone": ({ body }) => done(`phone ${body.patientUuid}`),
  "POST /personal-data": ({ body }) => done(`personal data ${body.patientUuid}`),
  "POST /consents": ({ body }) => done(`consents ${body.patientUuid}`),
  "POST /guest-session": ({ body }) => done(`guest session ${body.patientUuid}`),
  "POST /preferences": ({ body }) => done(`preferences ${body.patientUuid}`),
}

export const insurance: Routes = {
  "POST /policies": ({ body }) => created("insuranceId", `policy ${body.patientUuid}`),
  "POST /eligibility-checks": ({ body }): Answer => ({
    status: 201,
    body: { copayCents: 2_500 },
    effect: `eligibility ${body.insuranceId}`,
  }),
}

const declined: Answer = { status: 402, body: { error: "the card was declined" } }

export const payments: Routes = {
  "POST /cards": ({ body }) =>
    body.token === "tok_declined" ? declined : created("paymentCardId", `card ${body.patientUuid}`),
  "POST /payments": ({ body }) => created("paymentId", `payment ${body.paymentCardId}`),
  "POST /card-requests": ({ body }) => done(`card request ${body.patientUuid}`),
}

export const care: Routes = {
  "POST /questionnaires": ({ body }) => created("questionnaireId", `questionnaire ${body.patientUuid}`),
  "POST /visits": ({ body }) => created("visitUuid", `visit ${body.patientUuid}`),
  "POST /assignments": ({ body }) => created("clinicianId", `assignment ${body.visitUuid}`),
  "POST /orders": ({ body }) => created("orderId", `order ${body.visitUuid}`),
  "POST /enrolments": ({ body }) => created("enrolmentId", `enrolment ${body.patientUuid}`),
  "POST /follow-ups": ({ body }) => created("followUpId", `follow-up ${body.visitUuid}`),
}
