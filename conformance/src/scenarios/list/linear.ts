// Services in a row: each sees what the ones before it set, and every change is in history and audit.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, road } from "../watch.ts"

const KINDS = ["INSTANCE_STARTED", ...Array(3).fill(["JOB_DISPATCHED", "JOB_COMPLETED"]).flat(), "INSTANCE_COMPLETED"]

export const linear = scenario("linear", "services in a row see each other's variables", async (client, worker) => {
  const started = await client.startInstance({ definitionId: "linear", variables: { amount: 42, note: "kept" } })
  assert.equal(started.status, "ACTIVE")
  assert.deepEqual(started.currentStepIds, ["reserve"])
  const instance = await ended(client, started.id)
  assert.equal(instance.status, "COMPLETED")
  assert.deepEqual(instance.currentStepIds, [])
  assert.ok(instance.completedAt && instance.completedAt >= instance.startedAt)
  assert.equal(instance.failureReason, undefined)
  // The merge is shallow: the delta wins, null is a value, what nobody named stays.
  assert.deepEqual(instance.variables, {
    amount: null,
    note: "kept",
    reserved: true,
    charged: 42,
    seenByCharge: true,
    parcel: { id: "P-1", weights: [1, 2.5] },
  })
  const steps = ["reserve COMPLETED", "charge COMPLETED", "ship COMPLETED", "end COMPLETED"]
  assert.deepEqual(await road(client, started.id), steps)
  const audit = await client.getAudit(started.id)
  assert.deepEqual(
    audit.map(({ kind }) => kind),
    KINDS,
  )
  assert.deepEqual(
    audit.map(({ seq }) => seq),
    KINDS.map((_, at) => at + 1),
  )
  for (const { kind, actor } of audit) if (kind === "JOB_COMPLETED") assert.equal(actor, worker.workerId)
})
