// A transformation sets literals and the values of expressions.
import assert from "node:assert/strict"
import { scenario } from "../scenario.ts"
import { ended } from "../watch.ts"

const given = { price: 2.5, quantity: 3, economy: false, customer: { name: "Ada" }, items: ["x", "y"] }

export const transformation = scenario(
  "transformation",
  "literals and expressions become variables",
  async (client) => {
    const { id } = await client.startInstance({ definitionId: "transformation", variables: given })
    const { status, variables } = await ended(client, id)
    assert.equal(status, "COMPLETED")
    const { at, ...rest } = variables
    assert.deepEqual(rest, {
      ...given,
      total: 7.5,
      rush: true,
      label: "order of Ada",
      currency: "EUR",
      tags: ["a", 1],
      count: 2,
      billed: 7.5,
    })
    assert.match(String(at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  },
)
