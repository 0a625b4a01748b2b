// When every retry is spent, job, step and instance fail with the reason.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { auditCount, ended } from "../watch.ts"

export const retryExhausted = scenario("retry-exhausted", "spent retries fail the instance", async (client) => {
  const { id } = await client.startInstance({ definitionId: "retry-exhausted" })
  const instance = await ended(client, id)
  assert.equal(instance.status, "FAILED")
  assert.match(instance.failureReason ?? "", /the bank is closed/)
  assert.deepEqual(instance.currentStepIds, [])
  // retryCount 2: two retries after the first try.
  assert.equal(await auditCount(client, id, "JOB_RETRIED"), 2)
  assert.equal(await auditCount(client, id, "JOB_FAILED"), 1)
  assert.equal(await auditCount(client, id, "INSTANCE_FAILED"), 1)
  const history = await client.getHistory(id)
  assert.deepEqual(
    history.map(({ stepId, status, attemptNumber }) => [stepId, status, attemptNumber]),
    [["call", "FAILED", 1]],
  )
  assert.match(history[0]?.failureReason ?? "", /the bank is closed/)
})
