import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Principal } from "../../../operations/people/api-keys.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

const anna: Principal = { id: "anna", name: "anna", scopes: ["queues:write", "jobs:read"] }

let server: TestServer
beforeAll(async () => {
  server = await createTestServer({ keys: { anna } })
})
afterAll(() => server.close())

const call = (route: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  server.call(route, { body, headers: { authorization: "Bearer anna", ...headers } })
const pathsOf = ({ status, body }: Reply) => [status, body.details?.map(({ path }: { path: string }) => path)]

describe("/v1/downstreams", () => {
  test("are given limits, read, listed, and freed of them", async () => {
    const put = await call("PUT /v1/downstreams/mail-server", { perSecond: 2.5, concurrency: 4, adaptive: true })
    expect([put.status, put.body]).toMatchObject([
      200,
      { name: "mail-server", perSecond: 2.5, concurrency: 4, adaptive: true, share: 1, inFlight: 0, changedBy: "anna" },
    ])
    expect((await call("GET /v1/downstreams/mail-server")).body).toEqual(put.body)
    expect((await call("GET /v1/downstreams")).body).toEqual({ items: [put.body] })
    const { body } = await call("PUT /v1/downstreams/mail-server", { concurrency: 1 })
    expect(body).not.toHaveProperty("perSecond")
    expect(body).toMatchObject({ concurrency: 1, adaptive: false })
    for (let n = 0; n < 2; n++) expect((await call("DELETE /v1/downstreams/mail-server")).status).toBe(204)
    expect((await call("GET /v1/downstreams/mail-server")).status).toBe(404)
  })

  test("say what is wrong with their limits", async () => {
    const wrong = { perSecond: 0, concurrency: 1.5, adaptive: "yes" }
    expect(pathsOf(await call("PUT /v1/downstreams/x", wrong))).toEqual([
      400,
      ["$.perSecond", "$.concurrency", "$.adaptive"],
    ])
    expect((await call("PUT /v1/downstreams/a%20b", { perSecond: 1 })).status).toBe(400)
  })

  test("a change that is sent again is made once, and answered as the first time", async () => {
    const key = { "idempotency-key": "down-1" }
    const first = await call("PUT /v1/downstreams/again", { perSecond: 1 }, key)
    await call("PUT /v1/downstreams/again", { perSecond: 9 })
    const again = await call("PUT /v1/downstreams/again", { perSecond: 1 }, key)
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([200, first.body, "true"])
    expect((await call("GET /v1/downstreams/again")).body.perSecond).toBe(9)
  })
})
