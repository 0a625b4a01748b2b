// A decision takes the first true condition in document order.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, road } from "../watch.ts"

export const decision = scenario("decision", "the first true condition wins", async (client) => {
  // 5000 makes all three conditions true, 500 two of them.
  for (const [amount, route] of [
    [5000, "manual"],
    [500, "check"],
    [5, "auto"],
  ] as const) {
    const { id } = await client.startInstance({ definitionId: "decision", variables: { amount } })
    const instance = await ended(client, id)
    assert.deepEqual([instance.status, instance.variables], ["COMPLETED", { amount, route }])
    assert.deepEqual(await road(client, id), ["route COMPLETED", `${route} COMPLETED`, "end COMPLETED"])
  }
})
