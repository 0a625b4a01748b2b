// The path of a timer that does not interrupt reaches an END: the instance completes, and the wait beside it is skipped.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, refusal, road } from "../watch.ts"

export const timerEnd = scenario("timer-end", "an END completes the instance without a signal", async (client) => {
  const { id } = await client.startInstance({ definitionId: "timer-end" })
  const instance = await ended(client, id)
  assert.deepEqual([instance.status, instance.variables], ["COMPLETED", { prepared: true, escalated: true }])
  assert.deepEqual(instance.currentStepIds, [])
  const steps = ["end COMPLETED", "escalate COMPLETED", "hold SKIPPED", "prepare COMPLETED"]
  assert.deepEqual((await road(client, id)).sort(), steps)
  const audit = await client.getAudit(id)
  assert.deepEqual(audit.at(-1)?.detail, { skipped: ["hold"] })
  const [parked, fired] = ["prepare", "hold"].map((stepId) => timeOf(audit, stepId))
  assert.ok(fired! - parked! >= 2_000, "it did not fire before it was due")
  assert.equal(await refusal(client.signal(id, "hold", {})), "conflict")
})

type Audit = Awaited<ReturnType<Parameters<Parameters<typeof scenario>[2]>[0]["getAudit"]>>

/** When the job of the step was completed, or its timer fired. */
const timeOf = (audit: Audit, stepId: string): number => {
  const kinds = ["JOB_COMPLETED", "TIMER_FIRED"]
  return Date.parse(audit.find(({ kind, detail }) => kinds.includes(kind) && detail.stepId === stepId)?.at ?? "")
}
