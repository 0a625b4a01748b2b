// A boundary timer that does not interrupt: its target runs beside the task, which stays open.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, eventually, road, standsAt } from "../watch.ts"

export const timer = scenario("timer", "PT2S starts a reminder beside the open task", async (client) => {
  const { id, startedAt } = await client.startInstance({ definitionId: "timer" })
  await eventually("the reminder ran", async () => {
    const { variables } = await client.getInstance(id)
    return variables.reminded === true ? variables : undefined
  })
  assert.equal((await standsAt(client, id, "approve")).status, "WAITING")
  const fired = (await client.getAudit(id)).filter(({ kind }) => kind === "TIMER_FIRED")
  assert.equal(fired.length, 1)
  assert.ok(Date.parse(fired[0]!.at) - Date.parse(startedAt) >= 2_000, "it did not fire before it was due")
  await client.completeUserTask(id, "approve", { variables: { approved: true } })
  const instance = await ended(client, id)
  assert.deepEqual([instance.status, instance.variables], ["COMPLETED", { reminded: true, approved: true }])
  const steps = ["approve COMPLETED", "end COMPLETED", "remind COMPLETED"]
  assert.deepEqual((await road(client, id)).sort(), steps)
})
