// A join waits for every branch, however many steps a branch has, and fires once.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended } from "../watch.ts"

export const parallel = scenario("parallel", "a join fires once, when every branch has arrived", async (client) => {
  const { id, currentStepIds } = await client.startInstance({ definitionId: "parallel" })
  assert.deepEqual([...currentStepIds].sort(), ["invoice", "notify", "pick"])
  const instance = await ended(client, id)
  assert.equal(instance.status, "COMPLETED")
  // What ran after the join had seen the end of the long branch, not only its first step.
  const { sawPacked, sawInvoice } = instance.variables
  assert.deepEqual({ sawPacked, sawInvoice }, { sawPacked: true, sawInvoice: "I-1" })
  const history = await client.getHistory(id)
  for (const stepId of ["pick", "pack", "invoice", "notify", "join", "ship", "end"])
    assert.deepEqual(
      history.filter((step) => step.stepId === stepId).map(({ status }) => status),
      ["COMPLETED"],
      `${stepId} ran once`,
    )
})
