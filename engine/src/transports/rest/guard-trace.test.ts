// What the innocent do, over REST and gRPC: the guard has nothing to say of it. The clock is moved as the callers' own would.
import { afterAll, beforeAll, expect, test } from "vitest"
import { linear } from "../../test-support/definitions.ts"
import { createGuardedServer, type GuardedServer, headersOf } from "./test-support/guarded-server.ts"

const OFFICE = "198.51.100.7"
let server: GuardedServer
let key: string
beforeAll(async () => {
  server = await createGuardedServer({ env: { WE_TRUSTED_NETWORKS: "198.51.100.0/24" } })
  key = await server.key()
  await server.grpc.rest.call("POST /v1/definitions", { body: linear(), headers: headersOf({ ip: OFFICE, key }) })
})
afterAll(() => server.close())

const verdicts = async () => {
  const { text } = await server.call("GET /metrics", { ip: OFFICE, key })
  return text.split("\n").filter((line) => line.startsWith("guard_verdicts_total{") && !/"allowed"| 0$/.test(line))
}

test("E-38, SEC-66: 200 legacy workers behind one address poll every 500 ms without a key, over both wires: no verdict", async () => {
  const workers = Array.from({ length: 200 }, (_, n) => `w${n}`)
  for (let round = 0; round < 4; round++) {
    server.clock.advance(500)
    const polls = workers.map(async (workerId, n) => {
      const body = { workerId, jobTypes: ["none"] }
      if (n % 2 === 0) return (await server.call("POST /v1/jobs/poll", { ip: OFFICE }, { body })).status
      await server.grpc.rpc.pollJobs(body, { metadata: headersOf({ ip: OFFICE }) })
      return 200
    })
    expect(new Set(await Promise.all(polls))).toEqual(new Set([200]))
  }
  expect(await verdicts()).toEqual([])
})

test("E-38: heartbeats, Prometheus every 15 s, an open dashboard, a bulk load and a client that waits: no verdict", async () => {
  const { body: instance } = await server.call(
    "POST /v1/instances",
    { ip: OFFICE, key },
    { body: { definitionId: "linear" } },
  )
  const lease = { workerId: "w", leaseSeconds: 60 }
  const { body: polled } = await server.call(
    "POST /v1/jobs/poll",
    { ip: OFFICE },
    { body: { ...lease, jobTypes: ["a"] } },
  )
  for (let n = 0; n < 150; n++) {
    server.clock.advance(100)
    await server.call(`GET /v1/instances/${instance.id}`, { ip: OFFICE, key })
    if (n % 10 === 0) await server.call(`POST /v1/jobs/${polled.jobs[0].id}/heartbeat`, { ip: OFFICE }, { body: lease })
    if (n % 10 === 5) await server.call("GET /v1/overview", { ip: OFFICE, key })
    if (n % 50 === 0) await server.call("GET /metrics", { ip: OFFICE, key })
    if (n % 50 === 0) await server.call("GET /v1/session", { ip: OFFICE })
    if (n % 20 === 0)
      await server.grpc.rpc.getInstance({ id: instance.id }, { metadata: headersOf({ ip: OFFICE, key }) })
  }
  const loads = Array.from({ length: 300 }, () =>
    server.call("POST /v1/instances", { ip: OFFICE, key }, { body: { definitionId: "linear" } }),
  )
  expect(new Set((await Promise.all(loads)).map(({ status }) => status))).toEqual(new Set([201]))
  expect(await verdicts()).toEqual([])
})

test("E-X7: behind the proxy only callers from the trusted network need no key", async () => {
  const body = { workerId: "w", jobTypes: ["none"] }
  expect((await server.call("POST /v1/jobs/poll", { ip: "203.0.113.1" }, { body })).status).toBe(401)
  expect((await server.call("POST /v1/jobs/poll", { ip: `${OFFICE}, 203.0.113.1` }, { body })).status).toBe(401)
  await expect(
    server.grpc.rpc.pollJobs(body, { metadata: headersOf({ ip: `${OFFICE}, 203.0.113.1` }) }),
  ).rejects.toMatchObject({ details: expect.stringContaining("API key") })
})
