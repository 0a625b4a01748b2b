// A WAIT before a user task, and the four ways to address the wrong thing.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, refusal, standsAt } from "../watch.ts"

export const signalUserTask = scenario(
  "signal-user-task",
  "a signal, then a person; four wrong calls change nothing",
  async (client) => {
    const { id } = await client.startInstance({ definitionId: "signal-user-task" })
    await standsAt(client, id, "documents")
    assert.equal(await refusal(client.signal(id, "review", {})), "bad-request", "1: a signal to a step that is no WAIT")
    assert.equal(
      await refusal(client.completeUserTask(id, "documents")),
      "bad-request",
      "2: a completion of a step that is no USER_TASK",
    )
    assert.equal(await refusal(client.completeUserTask(id, "review")), "not-found", "3: a task that is not open yet")
    const untouched = await client.getInstance(id)
    assert.deepEqual([untouched.currentStepIds, untouched.variables], [["documents"], {}])

    await client.signal(id, "documents", { pages: 3 })
    await standsAt(client, id, "review")
    assert.equal(await refusal(client.signal(id, "documents", {})), "conflict", "a step that is not parked any more")
    await client.completeUserTask(id, "review", { variables: { verdict: "fine" } })
    const instance = await ended(client, id)
    assert.deepEqual([instance.status, instance.variables], ["COMPLETED", { pages: 3, verdict: "fine", filed: "fine" }])
    assert.equal(await refusal(client.signal(id, "documents", {})), "conflict", "4: an instance that has ended")
    assert.equal(await refusal(client.completeUserTask(id, "review")), "conflict", "4: for user tasks too")
    assert.equal(await refusal(client.signal("no-such-instance", "documents", {})), "not-found")
  },
)
