// The settlement worker against a real PostgreSQL and a provider that hangs, declines, and is asked twice.
import { randomUUID } from "node:crypto"
import type { Mill } from "millrace"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { rowsOf } from "../payments/database.ts"
import type { ProviderOptions } from "../provider/server.ts"
import {
  eventsOf,
  getPayment,
  openApi,
  openDatabase,
  openTill,
  type TestDatabase,
  type TestTill,
} from "../test-support/open-shop.ts"
import { conclude, conclusionOf } from "./conclude.ts"
import { giveUpDeadLetters } from "./give-up.ts"
import { settlementOf } from "./job-names.ts"
import { workOf } from "./jobs.ts"
import { Provider } from "./provider.ts"
import { subscribe } from "./subscribe.ts"

let database: TestDatabase
let till: TestTill
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  database = await openDatabase()
})
afterAll(() => database.close())
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function withProvider(mood: Partial<ProviderOptions> = {}, timeoutMs?: number): Promise<TestTill> {
  till = await openTill(database, mood, timeoutMs)
  ends.push(() => till.close())
  return till
}

async function pay(): Promise<string> {
  const answer = await openApi(database).post("/payments", { amount: "12.50", currency: "EUR" }, randomUUID())
  return String(answer.body.payment_id)
}

type Row = Readonly<Record<string, unknown>>
const rows = (text: string, values: readonly unknown[] = []) => rowsOf<Row>(database.db, text, values)

/** Subscribes as the worker does, until no event waits for it. */
async function take(): Promise<void> {
  const subscription = await subscribe(till)
  const waiting = () =>
    rows("select 1 from millrace_views.event where event_type = 'payment.initiated' and published_at is null")
  await expect.poll(async () => (await waiting()).length).toBe(0)
  await subscription.stop()
}

/** What the provider's books have under the payment's id: jobs of other tests may have asked it too. */
const chargesOf = (id: string) => till.mock.ledger.entries.filter(({ payment_id }) => payment_id === id)
const statusOf = async (id: string) => (await getPayment(database.db, id)).status
const jobsOf = (id: string) =>
  rows("select id, status, error from millrace_views.jobs where payload ->> 'paymentId' = $1", [id])

/** Runs the jobs that are there, in this call. */
const work = () => database.mill.drain(workOf(till), { deadline: 600_000 })

/** Until the job of a payment has become a dead letter, retries included. */
async function untilDead(id: string): Promise<void> {
  await expect
    .poll(async () => {
      await work()
      return (await jobsOf(id))[0]?.status
    })
    .toBe("FAILED")
}

describe("F-12: a payment that is taken", () => {
  test("becomes PROCESSING with a job in one transaction, is charged under its id, and ends SETTLED with payment.completed", async () => {
    await withProvider()
    const id = await pay()
    await take()
    expect(await getPayment(database.db, id)).toMatchObject({ status: "PROCESSING", version: 2 })
    await work()
    expect(await getPayment(database.db, id)).toMatchObject({
      status: "SETTLED",
      version: 3,
      transaction_id: `txn-${id}`,
    })
    expect(await eventsOf(database.db, id)).toEqual(["payment.initiated", "payment.completed"])
    expect(chargesOf(id)).toMatchObject([{ key: id, asked: 1 }])
  })

  test("F-T5, F-T6, F-08: its event is marked as published, and nothing comes again", async () => {
    await withProvider()
    const id = await pay()
    const published = () =>
      rows(
        "select 1 from millrace_views.event where key = $1 and event_type = 'payment.initiated' and published_at is not null",
        [id],
      )
    expect(await published()).toHaveLength(0)
    const subscription = await subscribe(till)
    ends.push(() => subscription.stop())
    await expect.poll(async () => (await published()).length).toBe(1)
    expect(await jobsOf(id)).toHaveLength(1)
  })
})

describe("what is delivered twice", () => {
  test("F-T10, F-X1, F-09: an event that is sent again after a crash before the mark is skipped: its id is the same", async () => {
    await withProvider()
    const [first, second] = [await pay(), await pay()]
    await take()
    await rows("update millrace.sinks set after_seq = 0")
    const third = await pay()
    await take()
    expect(await Promise.all([first, second, third].map(async (id) => (await jobsOf(id)).length))).toEqual([1, 1, 1])
  })

  test("F-X1: an old event under a new id does not take a payment that has gone on", async () => {
    await withProvider()
    const id = await pay()
    await take()
    const [old] = await rows("select payload from millrace_views.event where key = $1", [id])
    await database.mill.publish("payment.initiated", old?.payload as object, { key: id })
    await take()
    await work()
    expect(await getPayment(database.db, id)).toMatchObject({ status: "SETTLED", version: 3 })
    expect(chargesOf(id)).toMatchObject([{ asked: 1 }])
  })

  test("F-X3: an event whose transaction fails leaves nothing behind, and is taken when it comes again", async () => {
    await withProvider()
    const id = await pay()
    let fails = 1
    const enqueueMany = (...given: Parameters<Mill["enqueueMany"]>) => {
      if (fails-- > 0) throw new Error("an unexpected error")
      return database.mill.enqueueMany(...given)
    }
    const consume = database.mill.consume.bind(database.mill)
    const subscription = await subscribe({ ...till, mill: { enqueueMany, consume } as Mill })
    ends.push(() => subscription.stop())
    await expect.poll(() => statusOf(id)).toBe("PROCESSING")
    expect(fails).toBe(-1)
    expect(await jobsOf(id)).toHaveLength(1)
  })
})

describe("the provider", () => {
  test("F-X4: a decline is HTTP 200, and the payment is FAILED", async () => {
    await withProvider({ successShare: 0 })
    const id = await pay()
    await take()
    await work()
    expect(await getPayment(database.db, id)).toMatchObject({ status: "FAILED", reason: "card_declined" })
    expect(await eventsOf(database.db, id)).toEqual(["payment.initiated", "payment.failed"])
  })

  test("F-X2, F-19: after a time-out that hides a charge the payment is PROCESSING, and the next try settles it", async () => {
    await withProvider()
    const id = await pay()
    await take()
    let isLate = true
    const charge: Provider["charge"] = async (...given) => {
      const answer = await till.provider.charge(...given)
      if (!isLate || given[0].paymentId !== id) return answer
      isLate = false
      throw new DOMException("The operation was aborted due to timeout", "TimeoutError")
    }
    const slow = workOf({ ...till, provider: { charge } as Provider })
    await expect
      .poll(async () => {
        await database.mill.drain(slow, { deadline: 600_000 })
        return statusOf(id)
      })
      .toBe("SETTLED")
    expect(chargesOf(id)).toMatchObject([{ asked: 2 }])
    expect(await eventsOf(database.db, id)).toEqual(["payment.initiated", "payment.completed"])
  })

  test("F-X9: a crash after the charge and before the commit asks again under the same key, and nothing is charged twice", async () => {
    await withProvider()
    const id = await pay()
    await take()
    await till.provider.charge(settlementOf(await getPayment(database.db, id)))
    await work()
    expect(await statusOf(id)).toBe("SETTLED")
    expect(chargesOf(id)).toMatchObject([{ key: id, asked: 2 }])
    expect(till.mock.ledger.totals.doubled).toEqual([])
  })

  test("F-16: of two attempts that conclude the same payment one counts, and one event tells of it", async () => {
    await withProvider()
    const id = await pay()
    await take()
    const settling = settlementOf(await getPayment(database.db, id))
    const charge = await till.provider.charge(settling)
    const done = await Promise.all([1, 2].map(() => conclude(till.db, settling, conclusionOf(charge))))
    expect(done.filter(Boolean)).toHaveLength(1)
    expect(await eventsOf(database.db, id)).toEqual(["payment.initiated", "payment.completed"])
  })

  test("F-X10: where the event cannot be published, the status does not change either", async () => {
    await withProvider()
    const id = await pay()
    await take()
    const settling = settlementOf(await getPayment(database.db, id))
    const refused = { to: "SETTLED", event: "workflow.settled" as never } as const
    await expect(conclude(till.db, settling, refused)).rejects.toThrow("types that begin with workflow.")
    expect(await statusOf(id)).toBe("PROCESSING")
  })
})

describe("F-14: a payment that cannot be charged", () => {
  test("is tried five times more, then cancelled at the provider, FAILED, and told of by payment.dlq", async () => {
    await withProvider({ hangShare: 1 }, 20)
    const id = await pay()
    await take()
    await untilDead(id)
    const [dead] = await rows("select retry_count from millrace_views.jobs where payload ->> 'paymentId' = $1", [id])
    expect(Number(dead?.retry_count)).toBe(5)
    expect(await statusOf(id)).toBe("PROCESSING")
    const patient = await openTill(database)
    ends.push(() => patient.close())
    await giveUpDeadLetters(patient)
    expect(await getPayment(database.db, id)).toMatchObject({ status: "FAILED", is_dead_letter: true })
    expect(await eventsOf(database.db, id)).toEqual(["payment.initiated", "payment.dlq"])
    expect(await giveUpDeadLetters(patient)).toBe(0)
  })

  test("is SETTLED where it turns out that the provider has charged it after all", async () => {
    await withProvider({ hangShare: 1 }, 20)
    const id = await pay()
    await take()
    await untilDead(id)
    const patient = await openTill(database)
    ends.push(() => patient.close())
    patient.mock.ledger.charge(id, id)
    await giveUpDeadLetters(patient)
    expect(await statusOf(id)).toBe("SETTLED")
    expect(await eventsOf(database.db, id)).toEqual(["payment.initiated", "payment.completed"])
  })

  test("stays PROCESSING while the provider cannot be asked whether it is charged; what it says then is what happened", async () => {
    await withProvider({ hangShare: 1 }, 20)
    const [charged, uncharged] = [await pay(), await pay()]
    await take()
    for (const id of [charged, uncharged]) await untilDead(id)
    const away = { db: database.db, provider: new Provider("http://127.0.0.1:1", 60_000) }
    for (let round = 0; round < 3; round += 1) expect(await giveUpDeadLetters(away)).toBe(0)
    for (const id of [charged, uncharged]) {
      expect(await getPayment(database.db, id)).toMatchObject({
        status: "PROCESSING",
        version: 2,
        is_dead_letter: false,
      })
      expect(await eventsOf(database.db, id)).toEqual(["payment.initiated"])
    }
    expect((await openApi(database).get("/metrics")).body.text).toMatch(/^dlq_depth [2-9]/m)
    const back = await openTill(database)
    ends.push(() => back.close())
    back.mock.ledger.charge(charged, charged)
    await giveUpDeadLetters(back)
    expect(await Promise.all([charged, uncharged].map(statusOf))).toEqual(["SETTLED", "FAILED"])
    expect(back.mock.ledger.charge(uncharged, uncharged).status).toBe("cancelled")
  })

  test("F-X8: the policy of the job is the setting, and nothing else counts retries", () => {
    const [settle] = workOf({ ...till, retries: { most: 5, baseMs: 2_000, attemptMs: 40_000 } })
    expect(settle?.defaults).toEqual({
      retries: 5,
      retry: { base: 2_000, factor: 2, cap: 64_000, jitter: "none" },
      timeout: 40_000,
    })
  })
})

test("F-13: a refund gives the money back under the key that it was charged with", async () => {
  await withProvider()
  const id = await pay()
  await take()
  await work()
  await openApi(database).post(`/payments/${id}/refund`)
  await work()
  expect(chargesOf(id)).toMatchObject([{ status: "succeeded", isRefunded: true }])
})

test("F-07: after a webhook the provider is asked, and only what it says counts", async () => {
  await withProvider({ successShare: 0 })
  const id = await pay()
  await take()
  await openApi(database).post("/webhooks", { transaction_id: id, status: "succeeded" })
  await work()
  expect(await statusOf(id)).toBe("FAILED")
})
