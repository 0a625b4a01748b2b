// An interrupting boundary timer ends the step it guards and takes another way.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, refusal, road } from "../watch.ts"

export const timerInterrupting = scenario(
  "timer-interrupting",
  "PT2S ends an open task and escalates",
  async (client) => {
    const { id } = await client.startInstance({ definitionId: "timer-interrupting" })
    const instance = await ended(client, id)
    assert.deepEqual([instance.status, instance.variables], ["COMPLETED", { escalated: true }])
    assert.deepEqual(await road(client, id), ["approve FAILED", "escalate COMPLETED", "end COMPLETED"])
    const [approve] = await client.getHistory(id)
    assert.equal(approve?.failureReason, "interrupted by boundary timer")
    assert.ok(Date.parse(approve?.endedAt ?? "") - Date.parse(approve?.startedAt ?? "") >= 2_000)
    const task = (await client.listUserTasks({ status: "CANCELLED" })).items.find(({ instanceId }) => instanceId === id)
    assert.equal(task?.stepId, "approve")
    assert.equal(await refusal(client.completeUserTask(id, "approve")), "conflict")
  },
)
