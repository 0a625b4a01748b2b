// Definitions: immutable versions, an upload that may be repeated, every violation at once, instances pinned to their version.
import assert from "node:assert/strict"
import type { Definition, MillraceError } from "@millrace/sdk"
import { readScenarioFile, scenario } from "../scenario.ts"
import { refusal } from "../watch.ts"

const [orders] = readScenarioFile("definition-api").definitions as readonly [Definition]
const { id } = orders

export const definitionApi = scenario(
  "definition-api",
  "versions are immutable, uploads repeatable",
  async (client) => {
    const first = await client.uploadDefinition(orders)
    assert.deepEqual([first.id, first.version, first.name], [id, 1, "Orders, first version"])
    const pinned = await client.startInstance({ definitionId: id })

    const second = await client.uploadDefinition({ ...orders, name: "Orders, second version" })
    assert.equal(second.version, 2)
    const again = await client.uploadDefinition({ ...orders, name: "Orders, second version" })
    assert.deepEqual([again.version, again.uploadedAt], [2, second.uploadedAt])

    const stored = await client.getDefinition(id, 1)
    const { version, uploadedAt, ...content } = stored
    assert.deepEqual([version, uploadedAt, content], [1, first.uploadedAt, orders])
    const latest = await client.getDefinition(id)
    assert.deepEqual([latest.version, latest.name], [2, "Orders, second version"])
    assert.equal((await client.uploadDefinition(latest)).version, 2, "a GET can be posted back")

    const listed = await client.listDefinitions({ keyword: "API:ORD" })
    assert.deepEqual(
      listed.items.map(({ id, version }) => [id, version]),
      [[id, 2]],
    )
    assert.deepEqual([listed.total, listed.page, listed.pageSize], [1, 0, 20])
    assert.equal((await client.listDefinitions({ keyword: "no such thing" })).total, 0)

    assert.equal(pinned.definitionVersion, 1)
    assert.equal((await client.startInstance({ definitionId: id })).definitionVersion, 2)
    assert.equal((await client.startInstance({ definitionId: id, definitionVersion: 1 })).definitionVersion, 1)

    assert.equal(await refusal(client.getDefinition("definition-api:nothing")), "not-found")
    assert.equal(await refusal(client.getDefinition(id, 99)), "not-found")
    assert.equal(await refusal(client.startInstance({ definitionId: "definition-api:nothing" })), "not-found")
    const broken = { id: "definition-api:broken", name: "x", steps: [{ id: "a", name: "a", type: "WAIT" }], typo: 1 }
    const error = await client.uploadDefinition(broken as unknown as Definition).catch((error: MillraceError) => error)
    assert.equal((error as MillraceError).code, "bad-request")
    const paths = (error as MillraceError).details?.map(({ path }) => path) ?? []
    assert.ok(paths.includes("$.typo") && paths.some((path) => path.startsWith("$.steps[0]")), `all at once: ${paths}`)
  },
)
