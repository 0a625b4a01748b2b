// A business key is unique among the running instances of one definition, and finds them.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, refusal, standsAt } from "../watch.ts"

export const businessKey = scenario("business-key", "one running instance per key and definition", async (client) => {
  const start = (definitionId: string, businessKey: string) => client.startInstance({ definitionId, businessKey })
  const first = await start("business-key", "order-1")
  assert.equal(first.businessKey, "order-1")
  assert.equal(await refusal(start("business-key", "order-1")), "conflict")
  const other = await start("business-key-other", "order-1")
  await start("business-key", "order-2")

  const found = await client.listInstances({ businessKey: "order-1" })
  assert.deepEqual(found.items.map(({ id }) => id).sort(), [first.id, other.id].sort())
  const filtered = await client.listInstances({
    definitionId: "business-key",
    businessKey: "order-1",
    status: "WAITING",
  })
  assert.deepEqual([filtered.total, filtered.items[0]?.id], [1, first.id])

  await client.signal(first.id, "hold", {})
  await ended(client, first.id)
  const second = await start("business-key", "order-1")
  assert.notEqual(second.id, first.id, "the key is free again")
  await standsAt(client, second.id, "hold")
})
