// An END with auto-start begins the next workflow with the same variables and business key, exactly once.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, eventually } from "../watch.ts"

export const chaining = scenario("chaining", "the end of one starts the next, with its variables", async (client) => {
  const businessKey = `chain-${performance.timeOrigin}`
  const { id } = await client.startInstance({ definitionId: "chaining-first", variables: { order: 1 }, businessKey })
  assert.deepEqual((await ended(client, id)).variables, { order: 1, part: "P-7" })
  const children = () => client.listInstances({ definitionId: "chaining-second", businessKey })
  const child = await eventually("the next workflow started", async () => (await children()).items[0])
  const instance = await ended(client, child.id)
  assert.deepEqual([instance.status, instance.variables], ["COMPLETED", { order: 1, part: "P-7", consumed: "P-7" }])
  assert.equal((await children()).total, 1, "exactly one child")
})
