// The onboarding of a patient, top to bottom: one list for all three kinds of submission.
import { bestEffort, workflow } from "millrace"
import { createOrLookUpAccount, validateDuplicateEmail, validatePayload } from "./steps/accounts.ts"
import { assignClinician, bookFollowUp, checkout, enrolInProgramme, openVisit, saveAnswers } from "./steps/care.ts"
import { exchangeToken, sendVerificationLinks } from "./steps/identity.ts"
import { checkEligibility, registerInsurance } from "./steps/insurance.ts"
import { attachPaymentCard, authorizePayment } from "./steps/payments.ts"
import {
  mergeGuestSession,
  recordConsents,
  savePreferences,
  updateAddress,
  updatePersonalData,
  updatePhone,
} from "./steps/profile.ts"
import { Submission } from "./submission.ts"

export const onboarding = workflow("onboarding", {
  input: Submission,
  steps: [
    validatePayload,
    validateDuplicateEmail,
    createOrLookUpAccount,
    exchangeToken,
    updateAddress,
    updatePhone,
    updatePersonalData,
    recordConsents,
    mergeGuestSession,
    registerInsurance,
    checkEligibility,
    bestEffort(attachPaymentCard),
    saveAnswers,
    openVisit,
    assignClinician,
    bestEffort(savePreferences),
    bestEffort(sendVerificationLinks),
    authorizePayment,
    checkout,
    enrolInProgramme,
    bookFollowUp,
  ],
})
