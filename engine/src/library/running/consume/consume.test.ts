// `mill.consume` on real PostgreSQL, without a broker: once for each group, in order, with what the handler writes and publishes.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { EVERYTHING } from "../../../model/people/reach.ts"
import { replayDeadLetter } from "../../../operations/dead-letters/replay-dead-letter.ts"
import { type TopicReading, topicsOf } from "../../../operations/events/consume/topics.ts"
import { callers } from "../../../test-support/callers.ts"
import { stopClock } from "../../../test-support/database-clock.ts"
import { gate, type Mills, openMills } from "../../../test-support/mills.ts"
import { NonRetryableError } from "../../authoring/retries/error-kind.ts"
import type { StepTx } from "../../authoring/step-types.ts"
import type { MillEvent } from "../handler-sink.ts"
import type { ConsumeOptions } from "./consume-options.ts"
import type { ConsumeHandler } from "./consumption.ts"

let mills: Mills
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  mills = await openMills()
  await mills.tables.script("create table settled (event_id text, n integer, attempt integer)")
  // A failed event is tried again where a test lets the time pass, however slow the machine is.
  await stopClock(mills.kernel)
})
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})
afterAll(() => mills.close())

async function consume(
  type: string,
  handler: ConsumeHandler<StepTx>,
  options: Partial<ConsumeOptions<StepTx>> = {},
): Promise<void> {
  const subscription = await mills.mill.consume(type, { group: "g", ...options }, handler)
  stops.push(() => subscription.stop())
}

const settle: ConsumeHandler<StepTx> = async ({ event, tx }) => {
  const values = [event.id, event.payload.n, event.attempt]
  await tx.query("insert into settled (event_id, n, attempt) values ($1, $2, $3)", values)
}

/** What handlers have written for events of the type, in the order in which it was committed. */
const settled = (type: string) =>
  mills.tables.script(`select s.n, s.attempt from settled s join millrace_views.event e on e.id = s.event_id
    where e.event_type = '${type}' order by s.ctid`)
const numbers = async (type: string) => (await settled(type)).map(({ n }) => n)
const lettersOf = (type: string) =>
  mills.tables.script(`select d.id, d.error, d.reason from millrace.dead_letters d
    join millrace.queues q on q.id = d.queue_id where q.job_type = 'consume:g:${type}' order by d.id`)

/** The time for the next attempt has come. */
async function pass(ms: number): Promise<void> {
  await mills.advanceClock(ms)
}

test("F-15: the handler's work, what it publishes and the mark commit together", async () => {
  const done: MillEvent[] = []
  await mills.mill.on("settled", (event) => void done.push(event))
  await consume("initiated", async (call) => {
    await settle(call)
    await call.publish("settled", { of: call.event.id }, { key: call.event.key ?? "none" })
  })
  const { id } = await mills.mill.publish("initiated", { n: 1 }, { key: "p-1", headers: { source: "test" } })
  await expect.poll(() => done.length).toBe(1)
  expect(done[0]).toMatchObject({ key: "p-1", payload: { of: id } })
  expect(await settled("initiated")).toEqual([{ n: 1, attempt: 1 }])
  const marks = await mills.tables.script(
    `select consumer_group from millrace.processed_events where event_id = '${id}'`,
  )
  expect(marks).toEqual([{ consumer_group: "g" }])
})

describe("in a transaction of the caller's own library", () => {
  test.each(Object.entries(callers))("F-15: with %s the work commits with the mark", async (library, open) => {
    const type = `own.${library}`.replaceAll(/[^\w.]/g, "-")
    const caller = open(mills.dsn)
    let fails = true
    const { mill } = mills
    const subscription = await mill.consume(
      type,
      {
        group: "g",
        transaction: (work: (tx: never) => Promise<void>) =>
          caller.transaction(async (tx, run) => {
            await run(
              `insert into settled (event_id, n) select id, 1 from millrace_views.event where event_type = '${type}'`,
            )
            await work(tx as never)
          }),
      },
      async ({ event, publish }) => {
        await publish(`${type}.done`, { of: event.id })
        if (fails) throw new Error("not now")
      },
    )
    const { id } = await mill.publish(type, { n: 1 })
    const failed = () => mills.tables.script(`select job_id from millrace.consumer_lanes where lane = 'id:${id}'`)
    await expect.poll(failed).toHaveLength(1)
    expect(await numbers(type)).toEqual([])
    fails = false
    await pass(2_001)
    await expect.poll(() => numbers(type)).toEqual([1])
    await expect.poll(failed).toEqual([])
    const published = await mills.tables.script(`select from millrace.events where type = '${type}.done'`)
    expect(published).toHaveLength(1)
    await subscription.stop()
    await caller.close()
  })

  test("F-15: a statement that failed and was swallowed is no success: nothing would be committed, and it is tried again", async () => {
    const caller = callers.pg!(mills.dsn)
    const { mill } = mills
    const subscription = await mill.consume(
      "own.swallowed",
      {
        group: "g",
        transaction: (work: (tx: { query(text: string): Promise<unknown> }) => Promise<void>) =>
          caller.transaction((tx) => work(tx as never)),
      },
      async ({ event, tx }) => {
        if (event.attempt === 1) await tx.query("select 1 / 0").catch(() => {})
        else await tx.query(`insert into settled (event_id, n) values ('${event.id}', 7)`)
      },
    )
    const { id } = await mill.publish("own.swallowed", { n: 1 })
    const failed = () => mills.tables.script(`select job_id from millrace.consumer_lanes where lane = 'id:${id}'`)
    await expect.poll(failed).toHaveLength(1)
    await pass(2_001)
    await expect.poll(() => numbers("own.swallowed")).toEqual([7])
    await subscription.stop()
    await caller.close()
  })
})

describe("an event whose handler fails", () => {
  test("F-14, F-X3: is tried again after 2, 4, 8, 16 and 32 s; then it is a dead letter, and its event is published", async () => {
    const attempts: number[] = []
    const dead: MillEvent[] = []
    await mills.mill.on("doomed.dlq", (event) => void dead.push(event))
    const fail: ConsumeHandler<StepTx> = async (call) => {
      await settle(call)
      attempts.push(call.event.attempt)
      throw new Error("no money")
    }
    await consume("doomed", fail, { dlq: true })
    const { id } = await mills.mill.publish("doomed", { n: 1 }, { key: "p" })
    for (const [at, seconds] of [2, 4, 8, 16, 32].entries()) {
      await expect.poll(() => attempts.length).toBe(at + 1)
      const waiting = () =>
        mills.tables.script(
          "select from millrace.jobs j join millrace.queues q on q.id = j.queue_id where q.job_type = 'consume:g:doomed' and j.status = 'held'",
        )
      await expect.poll(waiting).toHaveLength(1)
      await pass(seconds * 1_000 - 100)
      expect(attempts).toHaveLength(at + 1)
      await pass(101)
    }
    await expect.poll(() => attempts).toEqual([1, 2, 3, 4, 5, 6])
    await expect
      .poll(() => lettersOf("doomed"))
      .toMatchObject([{ reason: "exhausted", error: "no money (after 4 retries)" }])
    await expect
      .poll(() => dead)
      .toMatchObject([{ key: "p", payload: { group: "g", error: "no money", event: { id }, payload: { n: 1 } } }])
    expect(await numbers("doomed")).toEqual([])
  })

  test("F-T10: later ones of its key queue behind it, and the others do not", async () => {
    let fails = true
    await consume("queued", async (call) => {
      if (fails && call.event.payload.n === 1) throw new Error("not now")
      await settle(call)
    })
    for (const [n, key] of [
      [1, "a"],
      [2, "a"],
      [3, "b"],
      [4, "a"],
    ] as const)
      await mills.mill.publish("queued", { n }, { key })
    await expect.poll(() => numbers("queued")).toEqual([3])
    await expect.poll(() => mills.tables.script("select from millrace.queued_messages")).toHaveLength(2)
    fails = false
    await pass(2_001)
    await expect.poll(() => numbers("queued")).toEqual([3, 1, 2, 4])
    await mills.mill.publish("queued", { n: 5 }, { key: "a" })
    await expect.poll(() => numbers("queued")).toEqual([3, 1, 2, 4, 5])
    expect(
      await mills.tables.script("select from millrace.consumer_lanes where consumer = 'consume:g:queued'"),
    ).toEqual([])
  })

  test("that cannot be helped is a dead letter at once; those behind it go on, and its replay counts once", async () => {
    let fails = true
    await consume("hopeless", async (call) => {
      if (fails && call.event.payload.n === 1) throw new NonRetryableError("closed account")
      await settle(call)
    })
    for (const n of [1, 2]) await mills.mill.publish("hopeless", { n }, { key: "a" })
    await expect.poll(() => numbers("hopeless")).toEqual([2])
    const [letter] = await lettersOf("hopeless")
    expect(letter).toMatchObject({ reason: "not-retryable", error: "closed account" })
    fails = false
    await replayDeadLetter(mills.kernel, { id: String(letter?.id), actor: "me", reach: EVERYTHING })
    await expect.poll(() => numbers("hopeless")).toEqual([2, 1])
    expect(await lettersOf("hopeless")).toEqual([])
  })

  test("F-T10: one that an operator cancels lets those behind it go on", async () => {
    await consume("cancelled", async (call) => {
      if (call.event.payload.n === 1) throw new Error("not now")
      await settle(call)
    })
    for (const n of [1, 2]) await mills.mill.publish("cancelled", { n }, { key: "a" })
    const lane = () =>
      mills.tables.script("select job_id from millrace.consumer_lanes where consumer = 'consume:g:cancelled'")
    const queued = () =>
      mills.tables.script("select from millrace.queued_messages where consumer = 'consume:g:cancelled'")
    await expect.poll(queued).toHaveLength(1)
    const [head] = await lane()
    await mills.mill.jobs.cancel(String(head?.job_id))
    await expect.poll(() => numbers("cancelled")).toEqual([2])
    await expect.poll(lane).toEqual([])
  })
})

test("F59: what still waits for its place when its partition is taken away is not begun", async () => {
  const { mill, core } = await mills.another()
  const readings: TopicReading[] = []
  const open = (reading: TopicReading) => {
    readings.push(reading)
    return { stop: async () => {} }
  }
  topicsOf(core.kernel).provide({ open, retentionMs: async () => 0 })
  const begun: unknown[] = []
  const leave = gate()
  await mill.consume("taken", { group: "taken", concurrency: 1 }, async ({ event }) => {
    begun.push(event.payload.n)
    await leave.passed
  })
  const away = new AbortController()
  const deliver = (n: number) =>
    readings[0]?.handle(
      {
        ...{ topic: "taken", partition: 0, offset: BigInt(n), key: `k${n}`, headers: {}, writtenAt: 0 },
        value: Buffer.from(JSON.stringify({ n })),
      },
      away.signal,
    )
  const [first, second] = [deliver(1), deliver(2)]
  await expect.poll(() => begun).toEqual([1])
  away.abort()
  leave.open()
  await first
  await expect(second).rejects.toThrow()
  expect(begun).toEqual([1])
})
