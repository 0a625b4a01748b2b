// Retryable failures are tried again; a failure for good is not.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { auditCount, ended, road } from "../watch.ts"

export const retryFail = scenario("retry-fail", "a failure is tried again, one for good is not", async (client) => {
  const { id } = await client.startInstance({ definitionId: "retry-fail" })
  const instance = await ended(client, id)
  assert.deepEqual([instance.status, instance.variables], ["COMPLETED", { receipt: "R-1" }])
  assert.equal(instance.failureReason, undefined)
  assert.equal(await auditCount(client, id, "JOB_RETRIED"), 2)
  assert.deepEqual(
    await road(client, id),
    ["call COMPLETED", "end COMPLETED"],
    "attempts of a job are one step execution",
  )

  const hopeless = await client.startInstance({ definitionId: "retry-fail-for-good" })
  const failed = await ended(client, hopeless.id)
  assert.equal(failed.status, "FAILED")
  assert.match(failed.failureReason ?? "", /the card is stolen/)
  assert.equal(await auditCount(client, hopeless.id, "JOB_RETRIED"), 0)
  assert.deepEqual(await road(client, hopeless.id), ["call FAILED"])
})
