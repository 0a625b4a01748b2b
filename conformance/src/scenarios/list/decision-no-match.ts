// A decision without a true condition, or with one that cannot be evaluated, fails the instance.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended, road } from "../watch.ts"

export const decisionNoMatch = scenario("decision-no-match", "no true condition fails the instance", async (client) => {
  const reasonFor = async (variables: object) => {
    const { id } = await client.startInstance({ definitionId: "decision-no-match", variables })
    const { status, failureReason } = await ended(client, id)
    assert.equal(status, "FAILED")
    assert.deepEqual(await road(client, id), ["route FAILED"])
    return failureReason ?? ""
  }
  assert.match(await reasonFor({ amount: 5 }), /^DecisionNoBranchMatched/)
  assert.match(await reasonFor({}), /amount/, "an undefined variable is an error, never false")
})
