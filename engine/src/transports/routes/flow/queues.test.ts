import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { liveSettingsOf } from "../../../operations/flow/live-settings.ts"
import { enqueueJob } from "../../../operations/jobs/enqueue/enqueue-job.ts"
import type { Principal } from "../../../operations/people/api-keys.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

const anna: Principal = { id: "anna", name: "anna", scopes: ["queues:write", "jobs:read"] }
const ANNA = { authorization: "Bearer anna" }

let server: TestServer
beforeAll(async () => {
  server = await createTestServer({ keys: { anna } })
})
afterAll(() => server.close())
afterEach(async () => {
  await server.call("DELETE /queues/weights")
  await server.call("DELETE /queues/watermarks")
})

const call = (route: string, body?: unknown, headers: Record<string, string> = ANNA): Promise<Reply> =>
  server.call(route, { body, headers })
const changes = (kind: string) =>
  server.engine.db.script(`select actor, name, detail from millrace.changes where kind = '${kind}' order by id`)
const lastChange = async (kind: string) => {
  const row = (await changes(kind)).at(-1)
  return row && { ...row, detail: JSON.parse(row.detail as string) }
}
const CONFIGURED = { critical: 60, high: 30, normal: 10, source: "config", version: "config" }

describe("weights", () => {
  test("D-05 D-T8: without a change they are the configuration's", async () => {
    const { status, body } = await call("GET /queues/weights")
    expect([status, body]).toEqual([200, CONFIGURED])
  })

  test("D-04 D-T8: a change is in force at once, and is noted with who made it", async () => {
    const weights = { critical: 100, high: 0, normal: 0 }
    const changed = await call("PATCH /queues/weights", weights)
    expect([changed.status, changed.body]).toEqual([200, { ...weights, source: "database", version: "100-0-0" }])
    const { changed_at, ...inForce } = (await call("GET /queues/weights")).body
    expect(inForce).toEqual({ ...weights, source: "database", version: "100-0-0", changed_by: "anna" })
    expect(Date.parse(changed_at)).toBeGreaterThan(0)
    expect(liveSettingsOf(server.engine.kernel).weights).toEqual(weights)
    expect(await lastChange("weights")).toEqual({ actor: "anna", name: "queues", detail: weights })
  })

  test("a change with the version of weights that hold no more is 409, and says what holds", async () => {
    const { version } = (await call("GET /queues/weights")).body
    await call("PATCH /queues/weights", { critical: 90, high: 5, normal: 5 })
    const { status, body } = await call("PATCH /queues/weights", { critical: 80, high: 10, normal: 10, version })
    expect([status, body.error, body.details[0]]).toEqual([
      409,
      "conflict",
      { path: "$.critical", message: "is 90 now" },
    ])
    expect((await call("GET /queues/weights")).body).toMatchObject({ critical: 90, changed_by: "anna" })
  })

  test.each([
    [{ critical: 60, high: 30, normal: 11 }, "$"],
    [{ critical: 60, high: 40 }, "$.normal"],
    [{ critical: 110, high: -10, normal: 0 }, "$.critical"],
    [{ critical: 33.4, high: 33.3, normal: 33.3 }, "$.critical"],
    [{ critical: "60", high: 30, normal: 10 }, "$.critical"],
    [[60, 30, 10], "$"],
    [undefined, "$.critical"],
  ])("D-04 D-T8: %j is 422 and changes nothing", async (weights, path) => {
    const { status, body } = await call("PATCH /queues/weights", weights)
    expect([status, body.error, body.details[0].path]).toEqual([422, "unprocessable", path])
    expect((await call("GET /queues/weights")).body).toMatchObject(CONFIGURED)
  })

  test("D-06 D-T8: a reset goes back to the configuration, also where nothing was changed", async () => {
    await call("PATCH /queues/weights", { critical: 0, high: 0, normal: 100 })
    for (let n = 0; n < 2; n++) {
      const { status, body } = await call("DELETE /queues/weights")
      expect([status, body]).toEqual([200, { reset: true, source: "config" }])
      expect((await call("GET /queues/weights")).body).toMatchObject({ ...CONFIGURED, changed_by: "anna" })
    }
  })

  test("D-T8: a change that is sent again is answered as the first time, and made once", async () => {
    const key = { ...ANNA, "idempotency-key": "w-1" }
    const body = { critical: 50, high: 30, normal: 20 }
    const first = await call("PATCH /queues/weights", body, key)
    await call("DELETE /queues/weights")
    const before = await changes("weights")
    const again = await call("PATCH /queues/weights", body, key)
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
    expect(await changes("weights")).toEqual(before)
    expect((await call("GET /queues/weights")).body).toMatchObject(CONFIGURED)
  })

  test.each([`{"critical":90,"high":90,"normal":90}`, `"60,30,10"`, `null`, `{"critical":100}`])(
    "D-50: a row that says %s is not believed",
    async (value) => {
      await server.engine.db.script(
        `insert into millrace.live_settings (name, value, changed_at, changed_by) values ('weights', '${value}', now(), 'psql')`,
      )
      expect((await call("GET /queues/weights")).body).toMatchObject(CONFIGURED)
    },
  )
})

describe("watermarks", () => {
  const priority = { high: 10_000, low: 2_000, source: "config" }
  const total = { high: 30_000, low: 6_000, source: "config" }

  test("they are the configuration's, and others at run time", async () => {
    expect((await call("GET /queues/watermarks")).body).toMatchObject({
      critical: priority,
      high: priority,
      normal: priority,
      total,
    })
    const marks = { normal: { high: 5, low: 2 }, total: { high: 50, low: 20 } }
    const { status, body } = await call("PUT /queues/watermarks", marks)
    const by = { changed_by: "anna" }
    expect([status, body]).toMatchObject([
      200,
      {
        critical: priority,
        high: priority,
        normal: { high: 5, low: 2, source: "database", ...by },
        total: { high: 50, low: 20, source: "database", ...by },
      },
    ])
    expect(body.critical.changed_by).not.toBe("anna")
    expect(await lastChange("watermarks")).toEqual({ actor: "anna", name: "queues", detail: marks })
  })

  test("those that are not named stay, a reset takes all back", async () => {
    await call("PUT /queues/watermarks", { critical: { high: 9, low: 3 } })
    await call("PUT /queues/watermarks", { high: { high: 8, low: 4 } })
    const { body } = await call("GET /queues/watermarks")
    expect([body.critical.high, body.high.high]).toEqual([9, 8])
    expect((await call("DELETE /queues/watermarks")).body).toEqual({ reset: true, source: "config" })
    expect((await call("GET /queues/watermarks")).body.critical).toMatchObject({ ...priority, changed_by: "anna" })
  })

  test.each([
    [{}, "$.normal"],
    [{ normal: { high: 5 } }, "$.normal.low"],
    [{ normal: { high: 5, low: 5 } }, "$.normal.low"],
    [{ total: { high: 2.5, low: 1 } }, "$.total.high"],
    [{ normal: { high: 5, low: 0 } }, "$.normal.low"],
    [{ normal: 5 }, "$.normal"],
  ])("%j is 422", async (marks, path) => {
    const { status, body } = await call("PUT /queues/watermarks", marks)
    expect([status, body.error, body.details[0].path]).toEqual([422, "unprocessable", path])
  })
})

describe("metrics", () => {
  test("D-03: depths, watermarks, gates and dead letters", async () => {
    const { status, body } = await call("GET /queues/metrics")
    expect(status).toBe(200)
    const gate = { depth: 0, high_watermark: 10_000, low_watermark: 2_000, shut: false, oldest_waiting_seconds: null }
    expect(body).toEqual({
      depths: { critical: 0, high: 0, normal: 0 },
      total: 0,
      high_watermark: 10_000,
      low_watermark: 2_000,
      accepting_jobs: true,
      backpressure_active: false,
      dlq_depth: 0,
      dlq_depth_is_exact: true,
      gates: {
        critical: gate,
        high: gate,
        normal: gate,
        total: { depth: 0, high_watermark: 30_000, low_watermark: 6_000, shut: false },
      },
    })
  })
})

describe("gates", () => {
  const enqueue = (priority: "critical" | "normal") =>
    enqueueJob(server.engine.kernel, { jobType: "gated", payload: {}, priority, whenFull: "refuse", actor: "local" })
  const metrics = async () => (await call("GET /queues/metrics")).body

  test("D-03 D-12: a full priority shows its gate shut, and other watermarks turn it at once", async () => {
    await call("PUT /queues/watermarks", { normal: { high: 3, low: 1 } })
    for (let n = 0; n < 3; n++) await enqueue("normal")
    await enqueue("critical")
    expect(await metrics()).toMatchObject({
      depths: { critical: 1, high: 0, normal: 3 },
      total: 4,
      accepting_jobs: true,
      backpressure_active: true,
      gates: {
        critical: { shut: false },
        high: { oldest_waiting_seconds: null },
        normal: {
          depth: 3,
          high_watermark: 3,
          low_watermark: 1,
          shut: true,
          oldest_waiting_seconds: expect.any(Number),
        },
      },
    })
    await expect(enqueue("normal")).rejects.toMatchObject({ code: "backpressure", retryAfterSeconds: 5 })
    await call("PUT /queues/watermarks", { normal: { high: 10, low: 5 } })
    await enqueue("normal")
    expect(await metrics()).toMatchObject({ depths: { normal: 4 }, backpressure_active: false })
  })

  test("D-12: with the total gate shut no priority takes jobs", async () => {
    await call("PUT /queues/watermarks", { total: { high: 3, low: 1 } })
    expect(await metrics()).toMatchObject({ accepting_jobs: false, gates: { total: { shut: true } } })
    await expect(enqueue("critical")).rejects.toMatchObject({ code: "backpressure" })
    await call("DELETE /queues/watermarks")
    await enqueue("critical")
  })
})

describe("pauses of priorities", () => {
  test("a pause says who, when and why; a second one changes nothing", async () => {
    const first = await call("POST /queues/normal/pause", { reason: "the mail server is down" })
    expect([first.status, first.body]).toEqual([
      200,
      {
        name: "normal",
        paused: true,
        reason: "the mail server is down",
        paused_by: "anna",
        paused_at: expect.stringMatching(/Z$/),
      },
    ])
    expect((await server.call("POST /queues/normal/pause", { body: { reason: "me too" } })).body).toEqual(first.body)
    expect(liveSettingsOf(server.engine.kernel).pauseOf("queue", "normal")?.by).toBe("anna")
    for (let n = 0; n < 2; n++)
      expect((await call("POST /queues/normal/resume")).body).toEqual({ name: "normal", paused: false })
    expect(liveSettingsOf(server.engine.kernel).pauses).toEqual([])
    expect((await changes("pause")).map(({ detail }) => JSON.parse(detail as string).paused)).toEqual([true, false])
  })

  test("a queue that is no priority is 404", async () => {
    for (const verb of ["pause", "resume"])
      expect((await call(`POST /queues/urgent/${verb}`, { reason: "x" })).status).toBe(404)
  })
})
