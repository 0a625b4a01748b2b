// The one way in which intake fails: the database is away. A caller who sends again with the same key loses nothing and doubles nothing.
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { service, workflow } from "../../../test-support/definitions.ts"
import { createSeverableProxy, type SeverableProxy } from "../../../test-support/severable-proxy.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

let near: TestEngine
let proxy: SeverableProxy
let engine: TestEngine
let server: TestServer

beforeAll(async () => {
  near = await createTestEngine()
  for (const id of ["onboarding", "unseen"])
    await near.upload(workflow(id, [service("first")], { execution: "steplist" }))
  proxy = await createSeverableProxy(near.dsn)
  engine = await createTestEngine({ WE_POSTGRES_DSN: proxy.dsn })
  server = await createTestServer({ engine })
  expect((await send(randomUUID())).status).toBe(202)
})
afterAll(async () => {
  await server.close()
  await engine.close()
  await proxy.close()
  await near.close()
})

const send = (key: string, definitionId = "onboarding"): Promise<Reply> =>
  server.call(`POST /v1/intake/${definitionId}`, { body: { key }, headers: { "idempotency-key": key } })

test("A-10, A-T10: without its database intake answers 503 and when to come back; with it, the same submission is accepted", async () => {
  const keys = Array.from({ length: 20 }, () => randomUUID())
  const logged = vi.spyOn(engine.kernel.log, "error")
  await proxy.sever()
  for (const reply of await Promise.all(keys.map((key) => send(key)))) {
    expect([reply.status, reply.body.error]).toEqual([503, "unavailable"])
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
  }
  // A definition that was never asked for may well be there: that is not a 404.
  expect((await send(randomUUID(), "unseen")).status).toBe(503)
  expect(logged.mock.calls.filter(([, words]) => String(words).includes("the database is away"))).toHaveLength(1)
  await proxy.heal()
  await expect.poll(async () => (await send(keys[0] as string)).status).toBe(202)
  for (const reply of await Promise.all(keys.map((key) => send(key)))) expect(reply.status).toBe(202)
  expect((await send(randomUUID(), "unseen")).status).toBe(202)
  expect(await found(keys)).toEqual({ keys: 20, instances: 20, jobs: 20 })
})

test("F01, F02, F27, A-T10: whatever the connection broke in the middle of, a producer that sends until it is accepted has each submission once", async () => {
  const keys = Array.from({ length: 120 }, () => randomUUID())
  const produce = async (key: string): Promise<void> => {
    for (;;) {
      const { status } = await send(key)
      if (status === 202) return
      expect(status).toBe(503)
    }
  }
  for (let round = 0; round < 4; round++) {
    const under = keys.slice(round * 30, round * 30 + 30).map(produce)
    for (let n = 0; n < round * 4; n++) await new Promise((resolve) => setImmediate(resolve))
    await proxy.sever()
    await proxy.heal()
    await Promise.all(under)
  }
  expect(await found(keys)).toEqual({ keys: 120, instances: 120, jobs: 120 })
})

async function found(keys: readonly string[]) {
  const list = keys.map((key) => `'${key}'`).join()
  const [row] = await near.db.script(`select count(*)::int as keys, count(distinct i.input->>'key')::int as instances,
    count(j.instance_id)::int as jobs from millrace.intake_keys k join millrace.instances i on i.id = k.instance_id
    join millrace.jobs j on j.instance_id = i.id where k.key in (${list})`)
  return row
}
