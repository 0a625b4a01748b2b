// A cancel ends everything below the instance: the claimed job, the open task, the running timer. A second one is an error.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { eventually, refusal, road } from "../watch.ts"

const workerId = "cancel-by-hand"

export const cancel = scenario("cancel", "everything below ends; a second cancel is an error", async (client) => {
  const { id } = await client.startInstance({ definitionId: "cancel" })
  // No worker handles this type: the scenario holds the job itself while the instance is cancelled.
  const [job] = await client.poll({ workerId, jobTypes: ["cancel.work"], maxJobs: 1, waitSeconds: 5 })
  assert.equal(job?.instanceId, id)
  const cancelled = await client.cancelInstance(id, { reason: "changed my mind" })
  assert.deepEqual([cancelled.status, cancelled.failureReason], ["CANCELLED", "changed my mind"])
  assert.deepEqual(cancelled.currentStepIds, [])
  assert.ok(cancelled.completedAt)
  assert.equal(await refusal(client.cancelInstance(id)), "conflict", "the second cancel")
  const late = { workerId, leaseToken: job.leaseToken, variables: { late: true } }
  assert.equal(await refusal(client.complete(job.id, late)), "lease-lost", "a late report")
  assert.equal(await refusal(client.completeUserTask(id, "approve")), "conflict", "a late completion")
  const task = (await client.listUserTasks({ status: "CANCELLED" })).items.find(({ instanceId }) => instanceId === id)
  assert.equal(task?.stepId, "approve")

  // A second instance whose timer comes due shows that timers fire by then: that of the cancelled one did not.
  const other = await client.startInstance({ definitionId: "cancel" })
  await eventually("a timer started after the cancel has fired", async () =>
    (await client.getAudit(other.id)).find(({ kind }) => kind === "TIMER_FIRED"),
  )
  await client.cancelInstance(other.id)
  const after = await client.getInstance(id)
  assert.deepEqual([after.status, after.variables], ["CANCELLED", {}])
  assert.deepEqual((await road(client, id)).sort(), ["approve SKIPPED", "fork COMPLETED", "work SKIPPED"])
})
