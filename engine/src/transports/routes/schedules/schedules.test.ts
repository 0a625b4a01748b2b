import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { stopClock } from "../../../test-support/database-clock.ts"
import { linear } from "../../../test-support/definitions.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
const call: TestServer["call"] = (route, options) => server.call(route, options)
const create = (body: unknown, headers: Record<string, string> = {}) => call("POST /v1/schedules", { body, headers })
const put = (id: string, body: unknown) => call(`PUT /v1/schedules/${id}`, { body })
/** At a time that every day of the year has once. */
const nightly = { id: "nightly", cron: "30 5 * * *", timezone: "Europe/Berlin", definitionId: "linear" }

beforeAll(async () => {
  server = await createTestServer()
  await server.engine.upload(linear())
})
beforeEach(() => server.engine.db.script("delete from millrace.schedules; delete from millrace.schedule_runs"))
afterAll(() => server.close())

test("what became of the last run is with the schedule, and why where it failed", async () => {
  await create(nightly)
  const seen = async () => {
    const { body } = await call("GET /v1/schedules/nightly")
    expect((await call("GET /v1/schedules")).body.items).toEqual([body])
    return [body.lastOutcome, body.lastDetail]
  }
  // The runs are recent: the housekeeper removes old ones.
  const add = (daysAgo: number, outcome: string) =>
    server.engine.db.script(`insert into millrace.schedule_runs (schedule_id, due_at, fired_at, cause, outcome, detail)
      select 'nightly', t.at, t.at, 'cron', '${outcome}', 'because'
      from (select millrace.clock() - ${daysAgo} * interval '1 day' as at) t`)
  expect(await seen()).toEqual([undefined, undefined])
  await add(2, "failed")
  await add(3, "started")
  expect(await seen()).toEqual(["failed", "because"])
  await add(1, "skipped")
  expect(await seen()).toEqual(["skipped", undefined])
})

describe("making one", () => {
  test("its defaults, its next time and the three after it", async () => {
    const { status, body } = await create(nightly)
    expect([status, body]).toEqual([
      201,
      {
        ...nightly,
        input: {},
        overlap: "skip",
        catchUp: "last",
        enabled: true,
        nextAt: expect.any(String),
        upcoming: [expect.any(String), expect.any(String), expect.any(String)],
        changedAt: expect.any(String),
        changedBy: "local",
      },
    ])
    const times = [body.nextAt, ...body.upcoming].map((time: string) =>
      new Date(time).toLocaleTimeString("en-GB", { timeZone: "Europe/Berlin", timeStyle: "short" }),
    )
    expect(times).toEqual(Array(4).fill("05:30"))
    expect((await call("GET /v1/schedules/nightly")).body).toEqual(body)
  })

  test("an id that is taken is 409; without one it gets one", async () => {
    await create(nightly)
    expect((await create(nightly)).body.error).toBe("conflict")
    const { status, body } = await create({ ...nightly, id: undefined })
    expect([status, body.id]).toEqual([201, expect.stringMatching(/^[0-9A-Z]{26}$/)])
  })

  test("of several at once with one id, one is made", async () => {
    const statuses = (await Promise.all([1, 2, 3, 4].map(() => create(nightly)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, 409, 409, 409])
  })

  test("the same key makes one and answers the same, another body is 422", async () => {
    const key = { "idempotency-key": "k-1" }
    const first = await create({ ...nightly, id: undefined }, key)
    const again = await create({ ...nightly, id: undefined }, key)
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([201, first.body, "true"])
    expect((await create(nightly, key)).status).toBe(422)
    expect((await call("GET /v1/schedules")).body.items).toHaveLength(1)
  })

  test.each([
    ["a minute beyond the hour", { cron: "61 * * * *" }, 'cron "61 * * * *": minute must be 0-59, not "61"'],
    ["too few fields", { cron: "* *" }, 'cron "* *": must have 5 fields'],
    ["a day that never comes", { cron: "0 0 30 2 *" }, 'cron "0 0 30 2 *": names a day that never comes'],
    ["a zone nobody knows", { timezone: "Mars/Olympus" }, 'timezone "Mars/Olympus": is not known'],
    ["nothing to start", { definitionId: undefined }, "$ must name one thing to start"],
    ["two things to start", { jobType: "j" }, "$ must name one thing to start"],
    ["an id that no definition has", { definitionId: "a.b" }, "$.definitionId is not the id of a definition"],
    ["no cron", { cron: undefined }, "$.cron is required"],
    ["an id with a slash", { id: "a/b" }, "$.id must be 1 to 128 letters, digits and . _ : -"],
    ["an unknown overlap", { overlap: "allow" }, "$.overlap must be one of skip, queue, cancel"],
    ["an unknown catch-up", { catchUp: "some" }, "$.catchUp must be one of none, last, all"],
    ["enabled as text", { enabled: "no" }, "$.enabled must be true or false"],
    ["input that is a list", { input: [] }, "$.input must be an object"],
  ])("%s is 400, and says what to write", async (_, more, message) => {
    const { status, body } = await create({ ...nightly, ...more })
    expect([status, body.error]).toEqual([400, "bad-request"])
    expect(body.message).toContain(message)
    expect(body.details[0].hint).toEqual(expect.any(String))
  })
})

describe("changing one", () => {
  test("PUT makes it and replaces it; what GET answers can be put back", async () => {
    expect((await put("a", nightly)).status).toBe(400)
    expect((await put("nightly", nightly)).status).toBe(201)
    const { body } = await call("GET /v1/schedules/nightly")
    expect((await put("nightly", body)).status).toBe(200)
    const off = await put("nightly", { ...body, enabled: false })
    expect(off.body).toMatchObject({ enabled: false, upcoming: [] })
    expect(off.body).not.toHaveProperty("nextAt")
    expect((await put("nightly", { ...body, enabled: true })).body.nextAt).toBe(body.nextAt)
  })

  const patch = (body: unknown) => call("PATCH /v1/schedules/nightly", { body })

  test("PATCH changes what it names and leaves the rest", async () => {
    const { body } = await create({ ...nightly, input: { kind: "all" }, priority: "high", overlap: "queue" })
    const { nextAt, upcoming: _, ...rest } = body
    const changedAt = expect.any(String)
    expect((await patch({ enabled: false })).body).toEqual({ ...rest, enabled: false, upcoming: [], changedAt })
    expect((await patch({ enabled: true })).body).toEqual({ ...body, changedAt })
    expect((await patch({ input: { n: 1 }, catchUp: "all" })).body).toMatchObject({
      input: { n: 1 },
      nextAt,
      catchUp: "all",
    })
    expect((await patch({ cron: "0 12 * * *", timezone: "UTC" })).body.nextAt).toMatch(/T12:00:00/)
    expect((await patch({ priority: "normal" })).body).toMatchObject({ priority: "normal", overlap: "queue" })
  })

  test("PATCH gives it something else to start: the other kind of target takes the place of the one it had", async () => {
    await create(nightly)
    const { body } = await patch({ jobType: "refresh" })
    expect([body.jobType, body.definitionId]).toEqual(["refresh", undefined])
    expect((await patch({ definitionId: "linear", jobType: "refresh" })).status).toBe(400)
  })

  test("of changes at once to different fields none is lost", async () => {
    await create(nightly)
    const changes = [
      { enabled: false },
      { input: { n: 1 } },
      { overlap: "cancel" },
      { catchUp: "none" },
      { priority: "high" },
    ]
    const replies = await Promise.all(changes.map(patch))
    expect(replies.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect((await call("GET /v1/schedules/nightly")).body).toMatchObject(Object.assign({}, ...changes))
  })

  test.each([
    ["nothing", {}, "$"],
    ["only null", { priority: null }, "$"],
    ["a name that is none", { enable: false }, "$.enable"],
    ["its id", { id: "nightly", enabled: false }, "$.id"],
    ["a kind that is wrong", { enabled: "no" }, "$.enabled"],
    ["a time that is none", { cron: "61 * * * *" }, "$.cron"],
  ])("PATCH with %s is 400 with a hint, and changes nothing", async (_name, change, path) => {
    const { body: before } = await create(nightly)
    const { status, body } = await patch(change)
    expect([status, body.details[0].path, body.details[0].hint]).toEqual([400, path, expect.any(String)])
    expect((await call("GET /v1/schedules/nightly")).body).toEqual(before)
  })

  test("PATCH of one that is not there is 404", async () => {
    expect((await patch({ enabled: false })).status).toBe(404)
  })

  test("DELETE removes it, once", async () => {
    await create(nightly)
    const headers = { "idempotency-key": "d-1" }
    expect((await call("DELETE /v1/schedules/nightly", { headers })).status).toBe(204)
    expect((await call("DELETE /v1/schedules/nightly", { headers })).status).toBe(204)
    expect((await call("DELETE /v1/schedules/nightly")).status).toBe(404)
    expect((await call("GET /v1/schedules/nightly")).status).toBe(404)
  })

  test("a list in pages, by id", async () => {
    for (const id of ["c", "a", "b"]) await create({ ...nightly, id })
    const first = await call("GET /v1/schedules?pageSize=2")
    const second = await call(`GET /v1/schedules?pageSize=2&cursor=${first.body.nextCursor}`)
    const ids = [...first.body.items, ...second.body.items].map(({ id }: { id: string }) => id)
    expect([ids, second.body.nextCursor]).toEqual([["a", "b", "c"], undefined])
  })
})

describe("running one", () => {
  test("B-19: by hand, with what became of it in the answer and in the history", async () => {
    await put("nightly", { ...nightly, enabled: false })
    const started = await call("POST /v1/schedules/nightly/run")
    expect([started.status, started.body]).toMatchObject([200, { cause: "manual", outcome: "started" }])
    expect((await call(`GET /v1/instances/${started.body.workId}`)).body).toMatchObject({ definitionId: "linear" })
    expect((await call("POST /v1/schedules/nightly/run")).body).toMatchObject({ outcome: "skipped" })
    const { items } = (await call("GET /v1/schedules/nightly/runs?pageSize=1")).body
    expect(items).toMatchObject([{ outcome: "skipped", detail: expect.stringContaining(started.body.workId) }])
  })

  test("the same key runs it once", async () => {
    await create({ ...nightly, overlap: "cancel" })
    const headers = { "idempotency-key": "r-1" }
    const first = await call("POST /v1/schedules/nightly/run", { headers })
    const again = await call("POST /v1/schedules/nightly/run", { headers })
    expect(again.body).toEqual(first.body)
    expect((await call("GET /v1/schedules/nightly/runs")).body.items).toHaveLength(1)
  })

  test("B-01: by itself, when its time has come", async () => {
    const { engine } = server
    // No minute begins while the machine is at work.
    await stopClock(engine.kernel)
    const { body } = await create({ ...nightly, cron: "* * * * *" })
    await engine.advanceClock(Date.parse(body.nextAt) - engine.kernel.clock.nowMs())
    await expect
      .poll(async () => (await call("GET /v1/schedules/nightly/runs")).body.items)
      .toMatchObject([{ dueAt: body.nextAt, cause: "cron", outcome: "started" }])
  })

  test.each(["never", "a%00b", "x".repeat(200), "a b"])("schedule %s is 404", async (id) => {
    for (const route of [
      "GET /v1/schedules/{}",
      "GET /v1/schedules/{}/runs",
      "POST /v1/schedules/{}/run",
      "DELETE /v1/schedules/{}",
    ])
      expect((await call(route.replace("{}", encodeURI(id)))).status).toBe(404)
  })
})
