// Events over HTTP: published under a scope, once per key; parked ones and sinks in the hands of an operator.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { Relay } from "../../../operations/events/relay.ts"
import { insertSink } from "../../../store/events/sinks.ts"
import { noTerm } from "../../../test-support/loops.ts"
import { RecordingSink } from "../../../test-support/recording-sink.ts"
import { type CallOptions, createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer

beforeAll(async () => {
  const findKey = async (key: string) => ({ id: key, name: key, scopes: key.split(",") })
  server = await createTestServer({ findKey })
})
afterAll(() => server.close())

const call = (route: string, options: CallOptions = {}): Promise<Reply> => server.call(route, options)
const publish = (body: unknown, headers: Record<string, string> = {}) => call("POST /v1/events", { body, headers })
const PAYMENT = { type: "payment.initiated", key: "p-1", payload: { id: "p-1" }, headers: { "trace-id": "abc" } }
const stored = (where: string) =>
  server.engine.db.script(`select id || '-' || incarnation as id, type, key, payload, headers
    from millrace.events where ${where} order by seq`)

describe("publishing", () => {
  test("F-04: an event is stored as it was sent, and its id is the answer", async () => {
    const { status, body } = await publish(PAYMENT)
    expect(status).toBe(202)
    expect(await stored(`id = split_part('${body.id}', '-', 1)`)).toEqual([
      { ...PAYMENT, id: body.id, payload: '{"id": "p-1"}', headers: '{"trace-id": "abc"}' },
    ])
  })

  test("F-X6: with a key it is published once; another body is 422", async () => {
    const headers = { "idempotency-key": "once" }
    const first = await publish({ type: "once", payload: {} }, headers)
    const again = await publish({ type: "once", payload: {} }, headers)
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([202, first.body, "true"])
    expect(await stored("type = 'once'")).toHaveLength(1)
    const other = await publish({ type: "once", payload: { n: 2 } }, headers)
    expect([other.status, other.body.error]).toEqual([422, "idempotency-mismatch"])
  })

  test.each<[string, object, string]>([
    ["no type", { payload: {} }, "$.type"],
    ["a type of the engine's own", { type: "workflow.jobs.mail", payload: {} }, "$.type"],
    ["a type that is none", { type: "two words", payload: {} }, "$.type"],
    ["no payload", { type: "t" }, "$.payload"],
    ["a payload that is a list", { type: "t", payload: [] }, "$.payload"],
    ["a key of two lines", { type: "t", payload: {}, key: "a\nb" }, "$.key"],
    ["a key that is too long", { type: "t", payload: {}, key: "x".repeat(513) }, "$.key"],
    ["a header of two lines", { type: "t", payload: {}, headers: { a: "x\r\ny: z" } }, "$.headers"],
    ["headers that are a text", { type: "t", payload: {}, headers: "a" }, "$.headers"],
  ])("SEC-47: %s is 400, with its path", async (_, body, path) => {
    const reply = await publish(body)
    expect([reply.status, reply.body.error, reply.body.details[0].path]).toEqual([400, "bad-request", path])
    const many = await call("POST /v1/events/bulk", { body: { events: [PAYMENT, body] } })
    expect([many.status, many.body.details[0].path]).toEqual([400, path.replace("$", "$.events[1]")])
  })

  test("F58: a payload beyond the limit is 413, and a full outbox is 503 with when to come back", async () => {
    const large = { type: "large", payload: { a: "x".repeat(150_000), b: "x".repeat(150_000) } }
    expect((await publish(large)).body.error).toBe("payload-too-large")
    await insertSink(server.engine.db, "slow", "http")
    await server.engine.db.script("update millrace.outbox set high_watermark = 1")
    const full = await publish(PAYMENT)
    const none = await call("POST /v1/events/bulk", { body: { events: [PAYMENT] } })
    await server.engine.db.script("update millrace.outbox set high_watermark = 10000000")
    await server.engine.db.script("delete from millrace.sinks")
    for (const { status, body, headers } of [full, none])
      expect([status, body.error, Number(headers.get("retry-after")) > 0]).toEqual([503, "backpressure", true])
  })

  test("F-08: many are published together, in their order, or none of them", async () => {
    const events = [1, 2, 3].map((n) => ({ type: "many", payload: { n } }))
    const headers = { "idempotency-key": "many" }
    const { status, body } = await call("POST /v1/events/bulk", { body: { events }, headers })
    expect([status, body.ids]).toEqual([202, (await stored("type = 'many'")).map(({ id }) => id)])
    const again = await call("POST /v1/events/bulk", { body: { events }, headers })
    expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([body, "true"])
    const wrong = [...events, { type: "workflow.x", payload: {} }]
    expect((await call("POST /v1/events/bulk", { body: { events: wrong } })).status).toBe(400)
    expect((await call("POST /v1/events/bulk", { body: {} })).status).toBe(400)
    const tooMany = Array.from({ length: 1_001 }, () => ({ type: "many", payload: {} }))
    expect((await call("POST /v1/events/bulk", { body: { events: tooMany } })).status).toBe(400)
    expect(await stored("type = 'many'")).toHaveLength(3)
  })
})

describe("scopes", () => {
  const as = (scopes: string, type: string) =>
    publish({ type, payload: {} }, { authorization: `Bearer ${scopes}` }).then(({ status }) => status)

  test("SEC-27, SEC-31: a key publishes the types that it is for", async () => {
    expect(await as("events:write", "any.type")).toBe(202)
    expect(await as("events:write:payment.initiated", "payment.initiated")).toBe(202)
    expect(await as("events:write:payment.initiated", "payment.initiated2")).toBe(403)
    expect(await as("events:write:payment.*", "payment.completed")).toBe(202)
    expect(await as("events:write:payment.*", "payments.completed")).toBe(403)
    expect(await as("events:read,sinks:write,jobs:write,jobs:work:payment.initiated", "payment.initiated")).toBe(403)
  })

  test("SEC-28: every event of a list is judged", async () => {
    const headers = { authorization: "Bearer events:write:payment.*" }
    const events = [PAYMENT, { type: "refund.forged", payload: {} }]
    const reply = await call("POST /v1/events/bulk", { body: { events }, headers })
    expect([reply.status, reply.body.message]).toEqual([403, "this key may not publish refund.forged"])
    expect(await stored("type = 'refund.forged'")).toEqual([])
  })
})

describe("operating", () => {
  let sink: RecordingSink
  let relay: Relay
  let ids: string[]

  /** There are two events of one key, and the first was refused. */
  beforeEach(async () => {
    const { db, kernel } = server.engine
    await db.script("delete from millrace.parked_events; delete from millrace.sinks")
    sink = new RecordingSink("billing")
    sink.judge = () => ({ kind: "refused", reason: "no" })
    await insertSink(db, "billing", "http")
    await db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
    relay = new Relay(kernel, sink)
    ids = []
    for (const n of [1, 2]) ids.push((await publish({ type: "t", payload: { n }, key: "k" })).body.id)
    await relayUntil(2)
  })

  const parked = async () => (await call("GET /v1/events/parked")).body.items
  async function relayUntil(count: number): Promise<void> {
    while ((await parked()).length !== count) await relay.round(noTerm)
  }

  test("F-24: sinks and parked events are listed", async () => {
    expect((await call("GET /v1/sinks")).body.items).toMatchObject([{ name: "billing", kind: "http", parked: 2 }])
    expect(await parked()).toMatchObject([
      { id: ids[0], sink: "billing", type: "t", key: "k", reason: "no", isBehind: false },
      { id: ids[1], isBehind: true },
    ])
    expect((await call("GET /v1/events/parked?sink=other")).body.items).toEqual([])
    const { body } = await call("GET /v1/events/parked?pageSize=1&sink=billing&type=t&key=k")
    const next = await call(`GET /v1/events/parked?pageSize=1&cursor=${body.nextCursor}`)
    expect([body.items[0].id, next.body.items[0].id]).toEqual(ids)
    expect((await call("GET /v1/events/parked?cursor=x")).status).toBe(400)
  })

  test("F54: one is replayed: those behind it wait their turn, and a repeat of the call is told the same", async () => {
    const behind = await call(`POST /v1/events/parked/billing/${ids[1]}/replay`)
    expect([behind.status, behind.body.error]).toEqual([409, "conflict"])
    sink.judge = () => ({ kind: "sent" })
    const options = { headers: { "idempotency-key": "click" } }
    const first = await call(`POST /v1/events/parked/billing/${ids[0]}/replay`, options)
    expect([first.status, first.body]).toEqual([202, { sink: "billing", id: ids[0] }])
    await relayUntil(0)
    expect(sink.payloads).toEqual([1, 2])
    const again = await call(`POST /v1/events/parked/billing/${ids[0]}/replay`, options)
    expect([again.status, again.body, again.headers.get("idempotent-replayed")]).toEqual([202, first.body, "true"])
    expect((await call(`POST /v1/events/parked/billing/${ids[0]}/replay`)).status).toBe(404)
  })

  test("F54: one is discarded, and its author is kept", async () => {
    const options = { headers: { authorization: "Bearer sinks:write", "idempotency-key": "away" } }
    expect((await call(`DELETE /v1/events/parked/billing/${ids[0]}`, options)).status).toBe(204)
    expect((await call(`DELETE /v1/events/parked/billing/${ids[0]}`, options)).status).toBe(204)
    expect((await call(`DELETE /v1/events/parked/billing/${ids[0]}`)).status).toBe(404)
    const noted = await server.engine.db.script(
      `select actor, name from millrace.changes where kind = 'event-discarded' order by id desc limit 1`,
    )
    expect(noted).toEqual([{ actor: "sinks:write", name: `billing ${ids[0]}` }])
  })

  test("F54: all that match are replayed or discarded, after a dry run", async () => {
    const filter = { sink: "billing", type: "t" }
    const dry = await call("POST /v1/events/parked/discard", { body: { filter, dryRun: true } })
    expect([dry.status, dry.body]).toEqual([202, { dryRun: true, matched: 2, changed: 0 }])
    const replayed = await call("POST /v1/events/parked/replay", { body: { filter } })
    expect(replayed.body).toEqual({ dryRun: false, matched: 1, changed: 1 })
    const discarded = await call("POST /v1/events/parked/discard", { body: { filter: { sink: "billing", key: "k" } } })
    expect(discarded.body).toEqual({ dryRun: false, matched: 2, changed: 2 })
    expect(await parked()).toEqual([])
  })

  test.each([
    ["no filter", {}],
    ["no sink", { filter: { type: "t" } }],
    ["a filter that is misspelt", { filter: { sink: "billing", typ: "t" } }],
  ])("SEC-30: %s is 400, and changes nothing", async (_, body) => {
    for (const action of ["replay", "discard"])
      expect((await call(`POST /v1/events/parked/${action}`, { body })).status).toBe(400)
    expect(await parked()).toHaveLength(2)
  })

  test("a sink is forgotten with a reason, once", async () => {
    expect((await call("POST /v1/sinks/billing/forget", { body: {} })).body.details[0].path).toBe("$.reason")
    const options = { body: { reason: "moved" }, headers: { "idempotency-key": "forget" } }
    expect((await call("POST /v1/sinks/billing/forget", options)).status).toBe(204)
    const again = await call("POST /v1/sinks/billing/forget", options)
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([204, "true"])
    expect((await call("GET /v1/sinks")).body.items).toEqual([])
    expect((await call("POST /v1/sinks/billing/forget", { body: { reason: "moved" } })).status).toBe(404)
  })
})
