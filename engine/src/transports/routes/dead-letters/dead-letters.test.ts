// The routes of the dead letters over HTTP, held against the contract.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { executionId } from "../../../support/ids.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { loadContract } from "../../rest/test-support/contract.ts"
import { type CallOptions, createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

const NOBODY = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
const contract = loadContract()
let server: TestServer
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  server = await createTestServer()
  worker = drive(server.engine.kernel)
  for (const id of ["mail", "report"])
    await server.engine.upload(
      workflow(id, [service(id, "end", { priority: id === "mail" ? "high" : "normal" }), end()]),
    )
})
afterAll(() => server.close())

async function call(route: string, options: CallOptions = {}): Promise<Reply> {
  const reply = await server.call(route, options)
  const [method, url] = route.split(" ", 2) as [string, string]
  expect(contract.faultsOf(method, url.split("?", 1)[0] as string, reply)).toEqual([])
  return reply
}

/** Returns the instance. */
async function kill(type: string, error: string, variables = {}): Promise<string> {
  const id = await worker.start(type, variables)
  await worker.fail(await worker.claimOne(type), error, false)
  return id
}

const listed = async (query = ""): Promise<Record<string, unknown>[]> =>
  (await call(`GET /queues/dlq${query}`)).body.items

async function discardAll(): Promise<void> {
  for (const { id } of await listed("?limit=200")) await call(`DELETE /queues/dlq/${id}`)
}

describe("reading", () => {
  beforeAll(async () => {
    for (let n = 0; n < 5; n++) await kill("mail", `host 10.0.0.${n} is down`, { n })
    await kill("report", "out of paper")
  })
  afterAll(discardAll)

  test("D-T6: the newest come first, page by page, and none is missing or twice", async () => {
    const seen: unknown[] = []
    let cursor = ""
    do {
      const { body } = await call(`GET /queues/dlq?limit=4${cursor}`)
      seen.push(...body.items.map(({ error }: { error: string }) => error))
      cursor = body.next_cursor === undefined ? "" : `&cursor=${body.next_cursor}`
    } while (cursor)
    expect(seen).toEqual(["out of paper", ...[4, 3, 2, 1, 0].map((n) => `host 10.0.0.${n} is down`)])
  })

  test("filters by type, priority, definition, error and time", async () => {
    const [paper, host] = (await listed()) as [Record<string, string>, Record<string, string>]
    expect(await listed("?type=report")).toEqual([paper])
    expect(await listed("?definition_id=report")).toEqual([paper])
    expect(await listed("?priority=high")).toHaveLength(5)
    expect(await listed("?type=mail&priority=normal")).toEqual([])
    expect(await listed(`?error=${host.fingerprint}`)).toHaveLength(5)
    expect(await listed(`?error=${host.fingerprint}&type=report`)).toEqual([])
    const minutesLater = (n: number) => new Date(Date.parse(paper.dead_at as string) + n * 60_000).toISOString()
    expect(await listed(`?since=${minutesLater(-1)}&before=${minutesLater(1)}`)).toHaveLength(6)
    expect(await listed(`?since=${minutesLater(1)}`)).toEqual([])
    expect(await listed(`?before=${minutesLater(-1)}`)).toEqual([])
  })

  test("like errors are one group, with a count, an example and when it began and ended", async () => {
    const { body } = await call("GET /queues/dlq/groups")
    expect(body).toMatchObject({
      items: [
        { count: 5, count_is_exact: true, error: "host 10.0.0.4 is down" },
        { count: 1, error: "out of paper" },
      ],
      is_complete: true,
    })
    const [first] = body.items
    expect(first.first_at <= first.last_at).toBe(true)
  })

  test("a group tells what died so, and how many did in each span of the time that is looked at", async () => {
    const { body } = await call("GET /queues/dlq/groups")
    const [host, paper] = body.items
    expect(host).toMatchObject({ sources: [{ definition_id: "mail", type: "mail", count: 5 }], source_count: 1 })
    expect(paper).toMatchObject({ sources: [{ definition_id: "report", type: "report", count: 1 }], source_count: 1 })
    const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0)
    expect([host.over_time, paper.over_time].map((counts) => [counts.length, sum(counts)])).toEqual([
      [30, 5],
      [30, 1],
    ])
    // The period begins with the first that died, and ends now, or with the range where that is sooner.
    expect(host.over_time[0]).toBeGreaterThan(0)
    expect(body.period.since <= host.first_at && host.last_at <= body.period.until).toBe(true)
    const until = async (before: number) =>
      Date.parse((await call(`GET /queues/dlq/groups?before=${new Date(before).toISOString()}`)).body.period.until)
    const last = Date.parse(paper.last_at)
    expect(await until(last + 3_600_000)).toBeLessThan(last + 3_600_000)
    expect(await until(last + 1)).toBe(last + 2)
    expect((await call("GET /queues/dlq/groups?before=2020-01-01T00:00:00Z")).body).toEqual({
      items: [],
      is_complete: true,
    })
  })

  test("one entry shows its payload and its attempts", async () => {
    const [, host] = await listed()
    const { body } = await call(`GET /queues/dlq/${host?.id}`)
    expect(body).toMatchObject({
      source: "step",
      type: "mail",
      priority: "high",
      reason: "not-retryable",
      definition_id: "mail",
      step_id: "mail",
      attempts: 1,
      retry_count: 0,
      payload: { n: 4 },
      history: [{ attempt: 1, outcome: "failed", error: "host 10.0.0.4 is down", worker_id: "w1" }],
    })
    expect(body.job_id).toBe(executionId(body.instance_id, 1))
  })

  test.each(["?priority=urgent", "?since=yesterday", "?limit=0", "?limit=201", "?cursor=x", "?type="])(
    "GET /queues/dlq%s is 422",
    async (query) => {
      const reply = await call(`GET /queues/dlq${query}`)
      expect([reply.status, reply.body.error]).toEqual([422, "unprocessable"])
    },
  )

  test.each([NOBODY, "x", "a%00b", "y".repeat(700)])("D-07: dead letter %s is 404", async (id) => {
    expect((await server.call(`GET /queues/dlq/${id}`)).status).toBe(404)
    expect((await server.call(`POST /queues/dlq/${id}/replay`)).status).toBe(404)
    expect((await server.call(`DELETE /queues/dlq/${id}`)).status).toBe(404)
  })
})

describe("one", () => {
  afterAll(discardAll)

  test("D-07: a replay answers 202 with the entry and the new job, and the entry leaves", async () => {
    const instanceId = await kill("mail", "boom")
    const [letter] = await listed("?type=mail")
    const { status, body } = await call(`POST /queues/dlq/${letter?.id}/replay`)
    const jobId = executionId(instanceId, 2)
    expect([status, body]).toEqual([202, { replayed: letter?.id, job_id: jobId, new_message_id: jobId }])
    expect(await listed("?type=mail")).toEqual([])
    await worker.complete(await worker.claimOne("mail"))
  })

  test("F72: whoever comes second is told who was first; with the same key it is told the same again", async () => {
    await kill("mail", "boom")
    const [letter] = await listed("?type=mail")
    const headers = { "idempotency-key": "click" }
    const first = await call(`POST /queues/dlq/${letter?.id}/replay`, { headers })
    const repeat = await call(`POST /queues/dlq/${letter?.id}/replay`, { headers })
    expect([repeat.status, repeat.body, repeat.headers.get("idempotent-replayed")]).toEqual([202, first.body, "true"])
    const second = await call(`POST /queues/dlq/${letter?.id}/replay`)
    expect([second.status, second.body.error]).toEqual([409, "conflict"])
    expect(second.body.message).toMatch(/was replayed by local at/)
    expect((await call(`DELETE /queues/dlq/${letter?.id}`)).status).toBe(409)
    expect(await worker.claim(["mail"])).toHaveLength(1)
  })

  test("a discard answers 204 once, and names who did it to whoever comes second", async () => {
    await kill("mail", "boom")
    const [letter] = await listed("?type=mail")
    const headers = { "idempotency-key": "away" }
    expect((await call(`DELETE /queues/dlq/${letter?.id}`, { headers })).status).toBe(204)
    const repeat = await call(`DELETE /queues/dlq/${letter?.id}`, { headers })
    expect([repeat.status, repeat.headers.get("idempotent-replayed")]).toEqual([204, "true"])
    const again = await call(`DELETE /queues/dlq/${letter?.id}`)
    expect([again.status, again.body.message]).toEqual([409, expect.stringMatching(/was discarded by local at/)])
    expect(await worker.claim(["mail"])).toEqual([])
  })
})

describe("many", () => {
  const followed = (id: string) => expect.poll(async () => (await call(`GET /v1/bulk/${id}`)).body)

  test("a dry run shows how many and a few of them, and changes nothing", async () => {
    for (let n = 0; n < 7; n++) await kill("report", `jam ${n}`)
    const { status, body } = await call("POST /queues/dlq/replay", {
      body: { filter: { type: "report" }, dryRun: true },
    })
    expect([status, body.matched, body.examples.length, body.done, body.finished]).toEqual([202, 7, 5, 0, true])
    expect(body.examples[0]).toMatchObject({ type: "report", error: "jam 6" })
    expect(await listed("?type=report")).toHaveLength(7)
  })

  test("a replay of all that match is accepted at once, worked off in the background, and can be followed", async () => {
    const other = await kill("mail", "other")
    const headers = { "idempotency-key": "all" }
    const options = { body: { filter: { type: "report" } }, headers }
    const { status, body } = await call("POST /queues/dlq/replay", options)
    expect([status, body.matched, body.examples]).toEqual([202, 7, undefined])
    expect((await call("POST /queues/dlq/replay", options)).body).toEqual(body)
    await followed(body.id).toMatchObject({ action: "replay", done: 7, failed: 0, finished: true })
    expect((await listed()).map(({ instance_id }) => instance_id)).toEqual([other])
    expect(await worker.claim(["report"], 20)).toHaveLength(7)
  })

  test("a discard of all that match", async () => {
    const { body } = await call("POST /queues/dlq/discard", { body: { filter: { type: "mail" } } })
    await followed(body.id).toMatchObject({ action: "discard", done: 1, failed: 0, finished: true })
    expect(await listed()).toEqual([])
  })

  test("an empty filter replays every entry, and discards none", async () => {
    expect((await call("POST /queues/dlq/replay", { body: { filter: {} } })).status).toBe(202)
    expect((await call("POST /queues/dlq/discard", { body: { filter: {}, dryRun: true } })).status).toBe(202)
    expect((await call("POST /queues/dlq/discard", { body: { filter: {} } })).status).toBe(422)
  })

  test.each([
    ["no filter", {}],
    ["a filter that is a list", { filter: [] }],
    ["a filter of fields nobody knows", { filter: { typ: "mail" } }],
    ["an unknown priority", { filter: { priority: "urgent" } }],
    ["a time that is none", { filter: { since: "yesterday" } }],
    ["a dry run as text", { filter: { type: "mail" }, dryRun: "true" }],
  ])("%s is 422", async (_, body) => {
    for (const action of ["replay", "discard"]) {
      const reply = await call(`POST /queues/dlq/${action}`, { body })
      expect([reply.status, reply.body.error]).toEqual([422, "unprocessable"])
    }
  })
})
