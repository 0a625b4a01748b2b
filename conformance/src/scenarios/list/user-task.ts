// A user task parks the instance until a person completes it, once.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, refusal } from "../watch.ts"

export const userTask = scenario("user-task", "a person completes a task, once", async (client) => {
  const { id, status } = await client.startInstance({ definitionId: "user-task", variables: { amount: 7 } })
  assert.equal(status, "WAITING")
  const inbox = await client.listUserTasks({ status: "OPEN", group: "approvers" })
  const task = inbox.items.find(({ instanceId }) => instanceId === id)
  assert.ok(task, "the open task is in the inbox")
  assert.deepEqual([task.stepId, task.variables], ["approve", { amount: 7 }])
  await client.completeUserTask(id, "approve", { completedBy: "ada", variables: { approved: true } })
  const code = await refusal(client.completeUserTask(id, "approve", { variables: { approved: false } }))
  // Whether the service has ended by now is a race: no open task, or no running instance.
  assert.ok(["not-found", "conflict"].includes(code), code)
  const instance = await ended(client, id)
  assert.equal(instance.status, "COMPLETED")
  assert.deepEqual(instance.variables, { amount: 7, approved: true, booked: true })
  const done = await client.listUserTasks({ status: "COMPLETED", group: "approvers" })
  assert.equal(done.items.find(({ instanceId }) => instanceId === id)?.completedBy, "ada")
  const [completed] = (await client.getAudit(id)).filter(({ kind }) => kind === "USER_TASK_COMPLETED")
  assert.ok(completed, "the completion is in the audit trail")
})
