// The dunning flow: asks patients whose card could not be attached for another one, long after their onboarding is done.
import { type Mill, type Step, workflow } from "millrace"
import { post } from "./call.ts"

interface Debtor {
  readonly patientUuid: string
}

async function askForCard(step: Step<Debtor>) {
  await post(step, "payments", "/card-requests", { patientUuid: step.input.patientUuid })
}

export const dunning = workflow("dunning", { steps: [askForCard] })

/** One run for each onboarding without a card, however often this is called: the onboarding's id is the key. */
export async function startDunning(mill: Mill): Promise<number> {
  let started = 0
  for await (const { instanceId } of await mill.runs.failures({ workflow: "onboarding", step: "attachPaymentCard" })) {
    const { variables } = await mill.runs.get(instanceId)
    await mill.intake(dunning, { patientUuid: variables.patientUuid }, { key: instanceId })
    started += 1
  }
  return started
}
