// A WAIT parks until a signal; the signal's body is the variables, and one signal is taken.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, refusal, standsAt } from "../watch.ts"

export const waitSignal = scenario("wait-signal", "a signal resumes a parked step, once", async (client) => {
  const { id } = await client.startInstance({ definitionId: "wait-signal" })
  const parked = await standsAt(client, id, "delivery")
  assert.deepEqual([parked.status, parked.variables], ["WAITING", { ordered: true }])
  const signals = ["P-1", "P-2"].map((parcel) => client.signal(id, "delivery", { parcel }))
  const taken = (await Promise.allSettled(signals)).map(({ status }) => status)
  assert.deepEqual(taken.sort(), ["fulfilled", "rejected"], "of two racing signals one wins")
  const instance = await ended(client, id)
  assert.equal(instance.status, "COMPLETED")
  assert.equal(instance.variables.stored, instance.variables.parcel)
  assert.equal(await refusal(client.signal(id, "delivery", {})), "conflict")
})
