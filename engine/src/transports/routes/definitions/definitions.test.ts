import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { end, linear, service, step, workflow } from "../../../test-support/definitions.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
beforeAll(async () => {
  server = await createTestServer()
})
afterAll(() => server.close())

const call: TestServer["call"] = (route, options) => server.call(route, options)

describe("C-17: upload", () => {
  test("C-17: answers 201 with id, version, name and time", async () => {
    const { status, body } = await call("POST /v1/definitions", { body: { ...linear("up"), description: "two steps" } })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: "up",
      version: 1,
      name: "up",
      description: "two steps",
      uploadedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  test("C-17: the same content is the version that is there, changed content the next one", async () => {
    const versions: number[] = []
    const changed = { ...linear("again"), name: "renamed" }
    for (const body of [linear("again"), linear("again"), changed, changed]) {
      versions.push((await call("POST /v1/definitions", { body })).body.version)
    }
    expect(versions).toEqual([1, 1, 2, 2])
  })

  test("W-01: where a non-interrupting path reaches an END the answer warns, also when it is repeated", async () => {
    const boundaryEvents = [{ type: "TIMER", duration: "PT2S", interrupting: false, targetStepId: "late" }]
    const hold = step("WAIT", "hold", { nextStep: "end", boundaryEvents })
    const body = workflow("warned", [hold, service("late", "end"), end()])
    const headers = { "idempotency-key": "warned-once" }
    const first = await call("POST /v1/definitions", { body, headers })
    expect(first.status).toBe(201)
    expect(first.body.warnings).toEqual([expect.stringContaining("timer of hold reaches the END end")])
    expect(first.headers.get("warning")).toBe(`299 - "${first.body.warnings[0]}"`)
    const again = await call("POST /v1/definitions", { body, headers })
    expect([again.text, again.headers.get("warning")]).toEqual([first.text, first.headers.get("warning")])
    expect(Object.keys((await call("GET /v1/definitions?keyword=warned")).body.items[0])).not.toContain("warnings")
  })

  test("C-17: what GET answers can be posted back", async () => {
    await call("POST /v1/definitions", { body: linear("back") })
    const { body } = await call("GET /v1/definitions/back")
    expect((await call("POST /v1/definitions", { body })).body.version).toBe(1)
  })

  test.each(["application/xml", "text/xml", "text/plain", "application/yaml"])("C-17: %s is 415", async (type) => {
    const reply = await call("POST /v1/definitions", { raw: "<workflow/>", headers: { "content-type": type } })
    expect(reply.status).toBe(415)
    expect(reply.body.error).toBe("unsupported-format")
  })

  test("C-17: an invalid definition is 400 with every violation, unknown fields among them", async () => {
    const bad = workflow("bad", [service("a", "nowhere", { colour: "red" }), end()], { typo: 1 })
    const { status, body } = await call("POST /v1/definitions", { body: bad })
    expect(status).toBe(400)
    expect(body.error).toBe("bad-request")
    const paths = body.details.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(expect.arrayContaining(["$.typo", "$.steps[0].colour", "$.steps[0].nextStep"]))
    expect((await call("GET /v1/definitions/bad")).status).toBe(404)
  })

  test.each([
    ["no body", undefined],
    ["null", null],
    ["a list", []],
    ["text", "x"],
  ])("C-17: %s is 400", async (_, body) => {
    expect((await call("POST /v1/definitions", { body })).status).toBe(400)
  })
})

describe("C-18: list", () => {
  beforeAll(async () => {
    for (const id of ["list-1", "list-2", "list-3"]) await server.engine.upload({ ...linear(id), name: `Order ${id}` })
    await server.engine.upload({ ...linear("list-1"), name: "Order list-1 again" })
  })

  test("C-18: the latest version of each, with page, pageSize and total", async () => {
    const { status, body } = await call("GET /v1/definitions?keyword=list-&page=0&pageSize=2")
    expect(status).toBe(200)
    expect(body).toMatchObject({ page: 0, pageSize: 2, total: 3 })
    expect(body.items).toHaveLength(2)
    const next = (await call("GET /v1/definitions?keyword=list-&page=1&pageSize=2")).body
    const all = [...body.items, ...next.items].map(({ id, version }) => `${id}@${version}`)
    expect(all.sort()).toEqual(["list-1@2", "list-2@1", "list-3@1"])
  })

  test("C-18: the keyword is part of id or name, whatever its case, and no pattern", async () => {
    const total = async (keyword: string) =>
      (await call(`GET /v1/definitions?keyword=${encodeURIComponent(keyword)}`)).body.total
    expect(await total("LIST-2")).toBe(1)
    expect(await total("order LIST-3")).toBe(1)
    expect(await total("list_2")).toBe(0)
    expect(await total("%")).toBe(0)
    expect(await total("\\")).toBe(0)
  })

  test("C-18: a page past the end is empty and still knows the total", async () => {
    const { body } = await call("GET /v1/definitions?keyword=list-&page=2147483647&pageSize=200")
    expect(body).toMatchObject({ items: [], total: 3 })
  })

  test("C-18: the page size is 20 unless it is given", async () => {
    expect((await call("GET /v1/definitions")).body).toMatchObject({ page: 0, pageSize: 20 })
  })

  test.each([
    "page=-1",
    "page=1.5",
    "page=x",
    "page=2147483648",
    "pageSize=201",
    "page=1&page=2",
    "keyword=a&keyword=b",
    "keyword=%00",
    `keyword=${"x".repeat(257)}`,
  ])("C-18: ?%s is 400", async (query) => {
    const { status, body } = await call(`GET /v1/definitions?${query}`)
    expect([status, body.error]).toEqual([400, "bad-request"])
    expect(body.details[0].path).toMatch(/^query\./)
  })
})

describe("C-19, C-20: read", () => {
  beforeAll(async () => {
    await server.engine.upload(linear("read:me"))
    await server.engine.upload({ ...linear("read:me"), name: "second" })
  })

  test("C-19: the latest version, its id plain or percent-encoded", async () => {
    for (const id of ["read:me", "read%3Ame", "read%3ame"]) {
      const { status, body } = await call(`GET /v1/definitions/${id}`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ id: "read:me", version: 2, name: "second" })
    }
  })

  test("C-19: an id may be as long as ids may be", async () => {
    const id = `${"a:".repeat(127)}zz`
    expect(id).toHaveLength(256)
    expect((await call("POST /v1/definitions", { body: { ...linear(id), name: "long" } })).status).toBe(201)
    for (const sent of [id, encodeURIComponent(id)])
      expect((await call(`GET /v1/definitions/${sent}`)).body.id).toBe(id)
  })

  test("C-19: order counts where order means something", async () => {
    const choices = { "#z == 1": "a", "#a == 1": "b", "#m == 1": "end" }
    const steps = [
      step("DECISION", "d", { conditionalNextSteps: choices }),
      service("a", "end"),
      service("b", "end"),
      end(),
    ]
    await call("POST /v1/definitions", { body: workflow("ordered", steps) })
    const { body } = await call("GET /v1/definitions/ordered")
    expect(Object.keys(body.steps[0].conditionalNextSteps)).toEqual(Object.keys(choices))
  })

  test.each(["unknown", "a%00b", "a%20b", "..%2Fetc", "x".repeat(257), "x".repeat(10_000), "%F0%9F%98%80"])(
    "C-19: %s is 404",
    async (id) => {
      const { status, body } = await call(`GET /v1/definitions/${id}`)
      expect([status, body.error]).toEqual([404, "not-found"])
    },
  )

  test("C-20: a version by its number", async () => {
    expect((await call("GET /v1/definitions/read:me/versions/1")).body).toMatchObject({ version: 1, name: "read:me" })
    expect((await call("GET /v1/definitions/read:me/versions/3")).status).toBe(404)
    expect((await call("GET /v1/definitions/nobody/versions/1")).status).toBe(404)
  })

  test.each(["0", "-1", "x", "1.0", "01", "2147483648", "99999999999", "latest"])(
    "C-20: version %s is 400",
    async (version) => {
      const { status, body } = await call(`GET /v1/definitions/read:me/versions/${version}`)
      expect([status, body.error]).toEqual([400, "bad-request"])
    },
  )
})

describe("C-122: what the dashboard reads about a definition", () => {
  test("C-122: its versions, newest first, with who uploaded each", async () => {
    for (const body of [linear("grown"), { ...linear("grown"), name: "second", description: "renamed" }])
      await call("POST /v1/definitions", { body })
    const { status, body } = await call("GET /v1/definitions/grown/versions")
    expect(status).toBe(200)
    expect(body.items).toEqual([
      { version: 2, name: "second", description: "renamed", uploadedAt: expect.any(String), uploadedBy: "local" },
      { version: 1, name: "grown", uploadedAt: expect.any(String), uploadedBy: "local" },
    ])
    for (const id of ["nobody", "a%00b"]) expect((await call(`GET /v1/definitions/${id}/versions`)).status).toBe(404)
  })

  test("C-122: of many versions the newest 200", async () => {
    await server.engine.db.script(`insert into millrace.definitions
      (id, version, name, document, digest, uploaded_at, uploaded_by)
      select 'ancient', n, 'v' || n, '{}', '', now(), 'local' from generate_series(1, 201) n`)
    const { items } = (await call("GET /v1/definitions/ancient/versions")).body
    expect([items.length, items[0].version, items[199].version]).toEqual([200, 201, 2])
  })

  test("C-122: where its instances stand", async () => {
    await call("POST /v1/definitions", { body: linear("busy") })
    await call("POST /v1/instances", { body: { definitionId: "busy" } })
    const { status, body } = await call("GET /v1/definitions/busy/activity?olderThan=PT1M")
    expect([status, body]).toEqual([
      200,
      { items: [{ version: 1, stepId: "a", open: 1, older: 0 }], instances: 1, isExact: true },
    ])
    for (const id of ["nobody", "a%00b"]) expect((await call(`GET /v1/definitions/${id}/activity`)).status).toBe(404)
    for (const wrong of ["soon", "-PT1M", "30", ""])
      expect((await call(`GET /v1/definitions/busy/activity?olderThan=${wrong}`)).body.error).toBe("bad-request")
  })
})
