import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { liveSettingsOf } from "../../../operations/flow/live-settings.ts"
import { enqueueJob } from "../../../operations/jobs/enqueue/enqueue-job.ts"
import { seriesOf } from "../../../operations/observability/counter-series.ts"
import type { Principal } from "../../../operations/people/api-keys.ts"
import { service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

const anna: Principal = { id: "anna", name: "anna", scopes: ["queues:write", "jobs:read"] }

let server: TestServer
beforeAll(async () => {
  server = await createTestServer({ keys: { anna } })
})
afterAll(() => server.close())

const call = (route: string, body?: unknown): Promise<Reply> =>
  server.call(route, { body, headers: { authorization: "Bearer anna" } })
const pathsOf = ({ status, body }: Reply) => [status, body.details?.map(({ path }: { path: string }) => path)]
const enqueue = async (jobType: string) =>
  (await enqueueJob(server.engine.kernel, { jobType, payload: {}, whenFull: "refuse", actor: "local" })).job.id

describe("/v1/job-types", () => {
  test("D-50: a timeout is set, listed, and taken back", async () => {
    expect((await call("PUT /v1/job-types/render", { timeout: "PT1M30S" })).body).toEqual({
      name: "render",
      timeout: "PT90S",
    })
    const listed = expect.objectContaining({ name: "render", timeout: "PT90S", ready: 0, leased: 0, changedBy: "anna" })
    expect((await call("GET /v1/job-types")).body.items).toContainEqual(listed)
    expect((await call("PUT /v1/job-types/render", {})).body).toEqual({ name: "render" })
    expect((await call("GET /v1/job-types")).body.items).not.toContainEqual(expect.objectContaining({ name: "render" }))
  })

  test("W-25: what becomes of variables that are too large for Kafka is set, listed, and taken back", async () => {
    const said = { name: "scan", largePayload: "reference" }
    expect((await call("PUT /v1/job-types/scan", { largePayload: "reference" })).body).toEqual(said)
    expect((await call("GET /v1/job-types")).body.items).toContainEqual(expect.objectContaining(said))
    expect(liveSettingsOf(server.engine.kernel).sendsReference("scan")).toBe(true)
    expect((await call("PUT /v1/job-types/scan", { timeout: "PT90S" })).body).toEqual({
      name: "scan",
      timeout: "PT90S",
    })
    expect(liveSettingsOf(server.engine.kernel).sendsReference("scan")).toBe(false)
    expect((await call("PUT /v1/job-types/scan", { largePayload: "drop" })).status).toBe(400)
  })

  test.each(["90", "PT0S", "P8D", "", 90])("D-50: %j is no timeout", async (timeout) => {
    expect(pathsOf(await call("PUT /v1/job-types/render", { timeout }))).toEqual([400, ["$.timeout"]])
  })
})

describe("what there is to do", () => {
  test("ready and leased, of every queue of a type", async () => {
    for (let n = 0; n < 3; n++) await enqueue("sorted")
    await server.engine.upload(workflow("sorting", [service("sorted")]))
    for (let n = 0; n < 2; n++) await drive(server.engine.kernel).start("sorting")
    await enqueue("other")
    const ofSorted = async () => {
      const { items } = (await call("GET /v1/job-types")).body
      const { name, ready, leased } = items.find((item: { name: string }) => item.name === "sorted")
      return { name, ready, leased }
    }
    expect(await ofSorted()).toEqual({ name: "sorted", ready: 5, leased: 0 })
    await drive(server.engine.kernel).claim(["sorted"], 4)
    expect(await ofSorted()).toEqual({ name: "sorted", ready: 1, leased: 4 })
    await server.engine.db.script("delete from millrace.jobs")
    expect(await ofSorted()).toEqual({ name: "sorted", ready: 0, leased: 0 })
  })
})

describe("who works, and why a job waits", () => {
  test("workers are known by what they hold, and by what they ask for", async () => {
    const { kernel, db } = server.engine
    await seriesOf(kernel).flush(kernel, false)
    await db.script("truncate millrace.worker_sightings")
    expect((await call("GET /v1/workers")).body.items).toEqual([])
    await enqueue("held-a")
    await enqueue("held-b")
    await drive(kernel, "worker-7").claim(["held-a", "held-b"])
    await drive(kernel, "worker-8").claim(["held-b"])
    await seriesOf(kernel).flush(kernel, false)
    const { items } = (await call("GET /v1/workers")).body
    expect(items).toEqual([
      {
        workerId: "worker-7",
        inFlight: 2,
        jobTypes: ["held-a", "held-b"],
        since: expect.stringMatching(/Z$/),
        lastSeenAt: expect.stringMatching(/Z$/),
        firstSeenAt: expect.stringMatching(/Z$/),
        polling: true,
      },
      {
        workerId: "worker-8",
        inFlight: 0,
        jobTypes: ["held-b"],
        lastSeenAt: expect.stringMatching(/Z$/),
        firstSeenAt: expect.stringMatching(/Z$/),
        polling: true,
      },
    ])
    expect(items[0].lastSeenAt >= items[0].since).toBe(true)
  })

  test("a job says why it waits", async () => {
    const id = await enqueue("idle")
    const { status, body } = await call(`GET /v1/jobs/${id}/waiting`)
    expect([status, body.reasons]).toMatchObject([200, [{ kind: "job-queued", detail: { jobType: "idle" } }]])
    expect((await call("GET /v1/jobs/01JN8Z3V5E8Q2R7W4Y6T9A1B3C/waiting")).status).toBe(404)
  })
})
