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

describe("/v1/pauses", () => {
  test("are made, listed and ended", async () => {
    const request = { kind: "jobType", name: "send:email", reason: "the mail server is down" }
    const made = await call("POST /v1/pauses", request)
    expect([made.status, made.body]).toEqual([200, { ...request, pausedBy: "anna", pausedAt: expect.any(String) }])
    expect((await call("POST /v1/pauses", { kind: "jobType", name: "send:email" })).body).toEqual(made.body)
    expect((await call("GET /v1/pauses")).body).toEqual({ items: [made.body] })
    for (let n = 0; n < 2; n++) expect((await call("DELETE /v1/pauses/jobType/send%3Aemail")).status).toBe(204)
    expect((await call("GET /v1/pauses")).body).toEqual({ items: [] })
  })

  test("say what is wrong with them", async () => {
    expect(pathsOf(await call("POST /v1/pauses", {}))).toEqual([400, ["$.kind", "$.name"]])
    expect(pathsOf(await call("POST /v1/pauses", { kind: "queue", name: "urgent" }))).toEqual([400, ["$.name"]])
    expect((await call("DELETE /v1/pauses/world/x")).status).toBe(404)
  })

  test("a pause that is sent again after its end is answered as the first time, and pauses nothing", async () => {
    const key = { "idempotency-key": "pause-1" }
    const request = { kind: "queue", name: "high" }
    const first = await call("POST /v1/pauses", request, key)
    expect((await call("DELETE /v1/pauses/queue/high", undefined, key)).status).toBe(204)
    const again = await call("POST /v1/pauses", request, key)
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    const ended = await call("DELETE /v1/pauses/queue/high", undefined, key)
    expect([ended.status, ended.headers.get("idempotent-replayed")]).toEqual([204, "true"])
    expect((await call("GET /v1/pauses")).body).toEqual({ items: [] })
  })
})
