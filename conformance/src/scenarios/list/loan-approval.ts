// The loan: a score, a decision, and for the middle a person whose word decides the way.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, road, standsAt } from "../watch.ts"

export const loanApproval = scenario("loan-approval", "by score, by hand, or not at all", async (client) => {
  const apply = async (bureauScore: number, amount: number) =>
    (await client.startInstance({ definitionId: "loan-approval", variables: { bureauScore, amount } })).id
  const review = async (id: string, approved: boolean) => {
    await standsAt(client, id, "review")
    await client.completeUserTask(id, "review", { completedBy: "officer", variables: { approved } })
  }
  const [good, poor, large, doubtful] = await Promise.all([
    apply(780, 20_000),
    apply(420, 1_000),
    apply(780, 90_000),
    apply(600, 5_000),
  ])
  await Promise.all([review(large, true), review(doubtful, false)])
  const result = async (id: string) => {
    const { status, variables } = await ended(client, id)
    return [status, variables.decision, variables.paid ?? variables.reason]
  }
  assert.deepEqual(await result(good), ["COMPLETED", "paid", 20_000])
  assert.deepEqual(await result(poor), ["COMPLETED", "rejected", 420])
  assert.deepEqual(await result(large), ["COMPLETED", "paid", 90_000])
  assert.deepEqual(await result(doubtful), ["COMPLETED", "rejected", 600])
  const steps = ["score", "triage", "review", "disburse", "end"].map((step) => `${step} COMPLETED`)
  assert.deepEqual(await road(client, large), steps)
})
