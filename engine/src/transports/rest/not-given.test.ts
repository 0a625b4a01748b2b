// "Not given" has many spellings: an empty string, 0, null, an empty list or map are as good as leaving the field out.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { linear, service, step, workflow } from "../../test-support/definitions.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { createTestServer, type Reply, type TestServer } from "./test-support/test-server.ts"

let server: TestServer
let made = 0
const call: TestServer["call"] = (route, options) => server.call(route, options)

beforeAll(async () => {
  server = await createTestServer()
  await holdLoops(server.engine.kernel)
  await server.engine.upload(linear())
  await server.engine.upload(workflow("asked", [step("USER_TASK", "ask")]))
  await server.engine.upload(workflow("busy", [service("busy")]))
})
afterAll(() => server.close())

const SPELLINGS: readonly [string, unknown][] = [
  ["an empty string", ""],
  ["0", 0],
  ["null", null],
  ["an empty list", []],
  ["an empty map", {}],
]
const OF_A_QUERY: readonly [string, string][] = [["an empty string", ""]]
const WITH_ZERO: readonly [string, string][] = [...OF_A_QUERY, ["0", "0"]]

const start = async (definitionId: string): Promise<string> =>
  (await call("POST /v1/instances", { body: { definitionId } })).body.id

/** A field of a body: the request with it, and what must be true as if it were not there. */
const IN_BODIES: Readonly<Record<string, (given: object) => Promise<void>>> = {
  businessKey: async (given) => {
    for (const _ of [1, 2]) {
      const { status, body } = await call("POST /v1/instances", { body: { definitionId: "linear", ...given } })
      expect([status, body.businessKey]).toEqual([201, undefined])
    }
  },
  definitionVersion: async (given) => {
    const { status, body } = await call("POST /v1/instances", { body: { definitionId: "linear", ...given } })
    expect([status, body.definitionVersion]).toEqual([201, 1])
  },
  reason: async (given) => {
    const { status, body } = await call(`POST /v1/instances/${await start("linear")}/cancel`, { body: given })
    expect([status, body.status, body.failureReason]).toEqual([200, "CANCELLED", undefined])
  },
  completedBy: async (given) => {
    const id = await start("asked")
    expect((await call(`POST /v1/instances/${id}/user-tasks/ask/complete`, { body: given })).status).toBe(204)
    const { items } = (await call(`GET /v1/instances/${id}/audit`)).body
    expect(items.find(({ kind }: { kind: string }) => kind === "USER_TASK_COMPLETED").detail.completedBy).toBe("local")
  },
  leaseSeconds: async (given) => {
    await start("busy")
    const { body } = await call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: ["busy"], ...given } })
    expect(leasedFor(body.jobs[0])).toBeGreaterThan(20_000)
    const beat = await call(`POST /v1/jobs/${body.jobs[0].id}/heartbeat`, { body: { workerId: "w", ...given } })
    expect(leasedFor(beat.body)).toBeGreaterThan(20_000)
  },
  maxJobs: async (given) => {
    const jobType = `many-${++made}`
    await server.engine.upload(workflow(jobType, [service(jobType)]))
    for (let n = 0; n < 11; n++) await start(jobType)
    const { body } = await call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: [jobType], ...given } })
    expect(body.jobs).toHaveLength(10)
    const poll = { jobTypes: [jobType], ...given }
    expect((await call("POST /v1/jobs/exchange", { body: { workerId: "w", poll } })).body.jobs).toHaveLength(1)
  },
}

const leasedFor = ({ lockExpiresAt }: { lockExpiresAt: string }): number =>
  Date.parse(lockExpiresAt) - server.engine.kernel.clock.nowMs()

describe.each(Object.entries(IN_BODIES))("W-04: %s in a body", (field, expectAbsent) => {
  test.each(SPELLINGS)(`W-04: ${field} as %s is not given`, (_, spelling) => expectAbsent({ [field]: spelling }))
  test(`W-04: ${field} may be left out`, () => expectAbsent({}))
})

const listed = ({ status, body }: Reply): number => {
  expect(status).toBe(200)
  return body.items.length
}

const IN_QUERIES: readonly [string, string, readonly [string, string][]][] = [
  ["/v1/instances", "definitionId", OF_A_QUERY],
  ["/v1/instances", "businessKey", OF_A_QUERY],
  ["/v1/instances", "status", WITH_ZERO],
  ["/v1/instances", "pageSize", WITH_ZERO],
  ["/v1/definitions", "keyword", OF_A_QUERY],
  ["/v1/definitions", "pageSize", WITH_ZERO],
  ["/v1/user-tasks", "status", WITH_ZERO],
  ["/v1/user-tasks", "pageSize", WITH_ZERO],
  ["/v1/schedules", "pageSize", WITH_ZERO],
]

describe.each(IN_QUERIES)("W-04: in the query of %s", (path, field, spellings) => {
  test.each(spellings)(`W-04: ${field} as %s is not given`, async (_, spelling) => {
    for (let n = 0; n < 3; n++) await start("linear")
    const without = listed(await call(`GET ${path}`))
    expect(listed(await call(`GET ${path}?${field}=${spelling}`))).toBe(without)
  })
})

test("W-04: what has a value still means it, and what is wrong is still refused", async () => {
  expect((await call("GET /v1/definitions?keyword=0")).body.items).toEqual([])
  for (const body of [{ businessKey: [1] }, { businessKey: 7 }, { definitionVersion: "1" }, { definitionVersion: -1 }])
    expect((await call("POST /v1/instances", { body: { definitionId: "linear", ...body } })).status).toBe(400)
  expect((await call("POST /v1/instances", { body: { definitionId: "" } })).body.details[0].message).toBe("is required")
  const polled = { workerId: "w", jobTypes: ["none"], leaseSeconds: "soon" }
  expect((await call("POST /v1/jobs/poll", { body: polled })).status).toBe(400)
})

test("W-04: a bulk operation never takes an empty filter for none", async () => {
  for (const filter of [{ definitionId: "" }, { status: "" }, { businessKey: "" }, {}])
    expect((await call("POST /v1/instances/bulk", { body: { action: "cancel", filter } })).status).toBe(400)
})
