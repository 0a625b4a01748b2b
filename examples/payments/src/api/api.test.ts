// The API against a real PostgreSQL: every answer of POST /payments, and what is in the database after it.
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Answers } from "../idempotency/answers.ts"
import { MemoryAnswers } from "../idempotency/memory-answers.ts"
import { changePayment } from "../payments/change-payment.ts"
import { rowsOf } from "../payments/database.ts"
import { movePayment } from "../payments/payments.ts"
import type { Status } from "../payments/status.ts"
import { eventsOf, getPayment, LIFETIMES, openApi, openDatabase, type TestDatabase } from "../test-support/open-shop.ts"

let database: TestDatabase
let api: ReturnType<typeof openApi>
beforeAll(async () => {
  database = await openDatabase()
  api = openApi(database)
})
afterAll(() => database.close())

const EUR = { amount: "12.50", currency: "EUR" }
const pay = (key: string, body: unknown = EUR) => api.post("/payments", body, key)
const paymentsOf = (key: string) => rows("select * from payments where idempotency_key = $1", [key])
const rows = (text: string, values: readonly unknown[] = []) => rowsOf<Row>(database.db, text, values)
type Row = Readonly<Record<string, unknown>>

function alter(id: string, changes: object) {
  const sets = Object.keys(changes).map((name, at) => `${name} = $${at + 2}`)
  return rows(`update payments set ${sets.join(", ")} where id = $1`, [id, ...Object.values(changes)])
}

/** A payment in any status, without its way there. */
async function paymentIn(status: Status, more: object = {}): Promise<string> {
  const id = String((await pay(randomUUID())).body.payment_id)
  await alter(id, { status, ...more })
  return id
}

/** Answers that forget, as after a restart of Redis. */
const forgetful = (): Answers => {
  const answers = new MemoryAnswers(LIFETIMES)
  return Object.assign(answers, { keep: (key: string, lock: string) => answers.release(key, lock) })
}

test("F-01, F-T11: a payment is accepted with 202 and told of", async () => {
  const { status, body } = await pay("k-1")
  expect(status).toBe(202)
  expect(body).toEqual({
    payment_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    status: "PENDING",
    amount: "12.50",
    currency: "EUR",
    created_at: expect.stringMatching(/Z$/),
  })
})

test.each([
  ["no key", EUR, undefined],
  ["an empty key", EUR, " "],
  ["no amount", { currency: "EUR" }, "k"],
  ["a negative amount", { ...EUR, amount: "-1.00" }, "k"],
  ["an amount of zero", { ...EUR, amount: 0 }, "k"],
  ["a float", { ...EUR, amount: 12.5 }, "k"],
  ["no currency", { amount: "1.00" }, "k"],
  ["a currency in small letters", { ...EUR, currency: "eur" }, "k"],
  ["a body that is no object", "12", "k"],
  ["a body that is no JSON", "{", "k"],
])("F-01, F-T11: %s is 422, and nothing is written", async (_what, body, key) => {
  const answer = await api.post("/payments", body, key)
  expect([answer.status, answer.body.error]).toEqual([422, "validation"])
  expect(await paymentsOf("k")).toHaveLength(0)
})

test("F-04, F-T5: the row and its event are there together, and the event waits to be published", async () => {
  const id = String((await pay("k-4")).body.payment_id)
  const [event] = await rows("select * from millrace_views.event where key = $1", [id])
  expect(await getPayment(database.db, id)).toMatchObject({ status: "PENDING", version: 1, amount: "12.50" })
  expect(event).toMatchObject({ event_type: "payment.initiated", published_at: null })
  expect(event?.payload).toEqual({
    payment_id: id,
    version: 1,
    status: "PENDING",
    amount: "12.50",
    currency: "EUR",
    charge_round: 1,
  })
})

test("F-04: a payment whose event cannot be published is not there either", async () => {
  await pay("k-before-full")
  await rows("update millrace.outbox set high_watermark = 1")
  try {
    expect((await api.post("/payments", EUR, "k-full")).status).toBe(503)
    expect(await paymentsOf("k-full")).toHaveLength(0)
    expect((await api.post("/payments", EUR, "k-full")).status).toBe(503) // and not 409: the lock was released
  } finally {
    await rows("update millrace.outbox set high_watermark = default")
  }
})

test("F-T1: a retry gives the same payment, and there is one row", async () => {
  const [first, second] = [await pay("k-t1"), await pay("k-t1")]
  expect(second.body).toEqual(first.body)
  expect(await paymentsOf("k-t1")).toHaveLength(1)
})

test("F-02, F-06: a repeat is answered without touching the database", async () => {
  const answers = new MemoryAnswers(LIFETIMES)
  const first = await openApi(database, answers).post("/payments", EUR, "k-2")
  const blind = openApi({ ...database, db: null as never, mill: null as never } as TestDatabase, answers)
  expect(await blind.post("/payments", EUR, "k-2")).toMatchObject({ status: 202, body: first.body })
})

test("F-T2: five at once are one row and one event", async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => pay("k-t2")))
  expect(answers.every(({ status }) => status === 202 || status === 409)).toBe(true)
  const ids = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.payment_id))
  expect(ids.size).toBe(1)
  expect(await paymentsOf("k-t2")).toHaveLength(1)
  expect(await eventsOf(database.db, String([...ids][0]))).toEqual(["payment.initiated"])
})

test("F-T2: five at once without a lock are one row too: the unique index decides", async () => {
  const lockless = { ...forgetful(), begin: async () => ({ lock: "" }), release: async () => {} } as unknown as Answers
  const open = openApi(database, Object.assign(forgetful(), lockless))
  const answers = await Promise.all(Array.from({ length: 5 }, () => open.post("/payments", EUR, "k-t2b")))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set(answers.map(({ body }) => body.payment_id)).size).toBe(1)
  expect(await paymentsOf("k-t2b")).toHaveLength(1)
})

test("F-T3: different keys are different payments", async () => {
  const [one, two] = [await pay("k-t3a"), await pay("k-t3b")]
  expect(one.body.payment_id).not.toBe(two.body.payment_id)
})

test("F-05: when the answer was forgotten, the payment that is there is answered as it was, whatever became of it", async () => {
  const open = openApi(database, forgetful())
  const first = await open.post("/payments", EUR, "k-5")
  await rows("update payments set status = 'SETTLED', version = 3 where idempotency_key = 'k-5'")
  expect(await open.post("/payments", EUR, "k-5")).toMatchObject({ status: 202, body: first.body })
  expect(await eventsOf(database.db, String(first.body.payment_id))).toEqual(["payment.initiated"])
})

test("F-X6: the same key with another body is 422, from the cache and from the database", async () => {
  await pay("k-x6")
  const open = openApi(database, forgetful())
  await open.post("/payments", EUR, "k-x6b")
  for (const answer of [
    await pay("k-x6", { ...EUR, amount: "13.00" }),
    await open.post("/payments", { ...EUR, currency: "USD" }, "k-x6b"),
  ])
    expect([answer.status, answer.body.error]).toEqual([422, "idempotency-mismatch"])
  expect((await pay("k-x6", { amount: 1250, currency: "EUR" })).status).toBe(202) // the same in minor units
})

test("F-03, F-T11: while a key is busy another request is 409, and told when to come again", async () => {
  const answers = new MemoryAnswers(LIFETIMES)
  const { lock = "" } = await answers.begin("k-3")
  const busy = openApi(database, answers)
  const answer = await busy.post("/payments", EUR, "k-3")
  expect([answer.status, answer.body.error, answer.headers["retry-after"]]).toEqual([409, "busy", "1"])
  await answers.release("k-3", lock)
  expect((await busy.post("/payments", EUR, "k-3")).status).toBe(202)
})

test("F-T4: the lock is released after success and after a refusal", async () => {
  const answers = forgetful()
  const open = openApi(database, answers)
  await open.post("/payments", EUR, "k-t4")
  expect((await open.post("/payments", { ...EUR, amount: "1" }, "k-t4")).status).toBe(422)
  expect((await answers.begin("k-t4")).lock).toBeDefined()
})

test("F-07, F-T11: GET tells of a payment, and 404 where there is none", async () => {
  const { body } = await pay("k-7")
  const found = await api.get(`/payments/${body.payment_id}`)
  expect([found.status, found.body.status, found.body.amount]).toEqual([200, "PENDING", "12.50"])
  expect((await api.get(`/payments/${randomUUID()}`)).status).toBe(404)
  expect((await api.get("/payments/nothing")).status).toBe(404)
})

test("F-07: a webhook is received with 200, is not believed, and makes the worker ask the provider", async () => {
  const id = await paymentIn("PROCESSING", { version: 2 })
  const told = await api.post("/webhooks", { transaction_id: id, status: "succeeded" })
  expect([told.status, told.body.received]).toEqual([200, true])
  expect((await getPayment(database.db, id)).status).toBe("PROCESSING")
  const jobs = await rows("select payload from millrace_views.jobs where payload ->> 'paymentId' = $1", [id])
  expect(jobs).toMatchObject([{ payload: { paymentId: id, version: 2, chargeKey: id } }])
  expect((await api.post("/webhooks", { transaction_id: "unknown", status: "failed", reason: "?" })).status).toBe(200)
  expect((await api.post("/webhooks", { status: "failed" })).status).toBe(422)
})

test("F-13: a settled payment is refunded once: status, event and the job that pays it back", async () => {
  const id = await paymentIn("SETTLED")
  const { status, body } = await api.post(`/payments/${id}/refund`)
  expect([status, body.status]).toEqual([200, "REFUNDED"])
  expect(await eventsOf(database.db, id)).toEqual(["payment.initiated", "payment.refunded"])
  const jobs = await rows(
    "select type from millrace_views.jobs where type = 'refund-payment' and payload ->> 'paymentId' = $1",
    [id],
  )
  expect(jobs).toHaveLength(1)
  expect((await api.post(`/payments/${id}/refund`)).status).toBe(422)
})

test.each<Status>(["PENDING", "PROCESSING", "FAILED", "REFUNDED"])(
  "F-13: a payment that is %s is not refunded",
  async (status) => {
    const { body, status: code } = await api.post(`/payments/${await paymentIn(status)}/refund`)
    expect([code, body.error]).toEqual([422, "illegal-transition"])
  },
)

test("F-13: a failed payment is tried again by hand; after a decline under a new key of the provider", async () => {
  const declined = await paymentIn("FAILED", { reason: "card_declined" })
  expect((await api.post(`/payments/${declined}/retry`)).body.status).toBe("PENDING")
  expect(await getPayment(database.db, declined)).toMatchObject({ charge_round: 2, reason: null })
  expect(await eventsOf(database.db, declined)).toEqual(["payment.initiated", "payment.initiated"])
  const unknown = await paymentIn("FAILED", { is_dead_letter: true })
  await api.post(`/payments/${unknown}/retry`)
  expect(await getPayment(database.db, unknown)).toMatchObject({ charge_round: 1, is_dead_letter: false })
  expect((await api.post(`/payments/${unknown}/retry`)).status).toBe(422)
})

test("F-16, F-X8: a change that was decided from an old version is decided again from the new one", async () => {
  const id = await paymentIn("SETTLED")
  let tries = 0
  const changed = await changePayment(database.db, id, async (tx, payment) => {
    tries += 1
    if (tries === 1) await rows("update payments set version = version + 1 where id = $1", [id])
    return movePayment(tx, payment, { to: "REFUNDED", event: null })
  })
  expect([tries, changed?.status, changed?.version]).toEqual([2, "REFUNDED", 3])
})

test("F-17, F-X8: metrics count outcomes, tell the lag of the outbox, and dead letters also when they become fewer", async () => {
  const fresh = openApi(database)
  await fresh.post("/payments", EUR, "k-17")
  await fresh.post("/payments", EUR, "k-17")
  const dead = await paymentIn("FAILED", { is_dead_letter: true })
  const text = async () => String((await fresh.get("/metrics")).body.text)
  expect(await text()).toContain('payments_created_total{status="success"} 1')
  expect(await text()).toContain('payments_created_total{status="idempotent_hit"} 1')
  expect(await text()).toContain('payments_created_total{status="conflict"} 0')
  expect(await text()).toContain("dlq_depth 1")
  expect(await text()).toMatch(/^outbox_lag_seconds \d/m)
  await api.post(`/payments/${dead}/retry`)
  expect(await text()).toContain("dlq_depth 0")
})

test("F-18: health names redis, db and kafka, and is degraded when one of them is down", async () => {
  expect((await api.get("/health")).body).toEqual({ status: "ok", redis: "not used", db: "ok", kafka: "not used" })
  const down = { query: () => Promise.reject(new Error("away")) } as never
  const away = await openApi({ ...database, db: down }).get("/health")
  expect(away.body).toMatchObject({ status: "degraded", db: "down" })
})
