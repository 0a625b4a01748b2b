// Steps about who the patient is: may they come in, and which account is theirs?
import { RetryableError, type Step } from "millrace"
import { find, post } from "../call.ts"
import type { Submission } from "../submission.ts"

interface Account {
  readonly patientUuid: string
  /** The submission that it was created for. */
  readonly createdBy?: string
}

const ADULT = 18

export function validatePayload({ input }: Step<Submission>) {
  const birthday = new Date(input.personal.dateOfBirth)
  birthday.setFullYear(birthday.getFullYear() + ADULT)
  if (birthday.getTime() > Date.now()) throw new Error(`a patient must be ${ADULT} or older`)
  if (!input.consents.includes("treatment")) throw new Error("the consent to treatment is missing")
}

export async function validateDuplicateEmail(step: Step<Submission>) {
  const { authenticationMode, email, submissionId } = step.input
  if (authenticationMode !== "net_new") return
  const account = await findAccount(step)
  // A retry runs this step again after the account was created: one of this very submission is our own work.
  if (account && account.createdBy !== submissionId) throw new Error(`${email} has an account already`)
}

export async function createOrLookUpAccount(step: Step<Submission>) {
  const { authenticationMode, email, submissionId } = step.input
  if (authenticationMode === "net_new") {
    return post<{ patientUuid: string }>(step, "accounts", "/accounts", { email, createdBy: submissionId })
  }
  const account = await findAccount(step)
  if (account) return { patientUuid: account.patientUuid }
  if (authenticationMode === "existing") throw new Error(`${email} has no account`)
  // Another flow is creating it. Its event ends the wait; without the event the delay does.
  throw new RetryableError(`the account of ${email} is not there yet`, {
    baseDelay: "PT5S",
    wakeOn: `account:${email}`,
  })
}

const findAccount = (step: Step<Submission>) =>
  find<Account>(step, "accounts", `/accounts?email=${encodeURIComponent(step.input.email)}`)
