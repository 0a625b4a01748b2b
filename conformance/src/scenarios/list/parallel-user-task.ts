// Two user tasks in parallel branches: the join waits for both, in whatever order they come.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, road, standsAt } from "../watch.ts"

export const parallelUserTask = scenario("parallel-user-task", "two people, in any order", async (client) => {
  const { id, status, currentStepIds } = await client.startInstance({ definitionId: "parallel-user-task" })
  assert.equal(status, "WAITING")
  assert.deepEqual([...currentStepIds].sort(), ["finance", "legal"])
  await client.completeUserTask(id, "finance", { variables: { financeOk: true } })
  const half = await standsAt(client, id, "legal")
  assert.equal(half.status, "WAITING")
  assert.ok(!(await road(client, id)).some((step) => step.startsWith("sign")), "the join has not fired")
  await client.completeUserTask(id, "legal", { variables: { legalOk: "with remarks" } })
  const instance = await ended(client, id)
  assert.equal(instance.status, "COMPLETED")
  assert.deepEqual(instance.variables, {
    financeOk: true,
    legalOk: "with remarks",
    signedFinance: true,
    signedLegal: "with remarks",
  })
})
