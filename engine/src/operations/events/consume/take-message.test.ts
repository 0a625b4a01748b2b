// Messages that are taken once: two holders of one, and messages that become dead letters whatever their size and however full the outbox.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Message } from "../../../model/events/message.ts"
import { CONSUMER_RETRY } from "../../../model/events/retried-message.ts"
import { gate } from "../../../test-support/mills.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { publishEvent } from "../publish-event.ts"
import type { Consumer, Delivery } from "./consumer.ts"
import { advanceLane } from "./lanes.ts"
import { type Taken, takeMessage } from "./take-message.ts"
import { inOwnTransaction } from "./units.ts"

let engine: TestEngine
let connections: TestEngine["kernel"]["db"]

beforeAll(async () => {
  engine = await createTestEngine()
  connections = engine.kernel.db.beside(4)
})
afterAll(async () => {
  await connections.close()
  await engine.close()
})

const consumer = (handle: (delivery: Delivery) => Promise<void>): Consumer => ({
  group: "g",
  name: "consume:g:t",
  retry: CONSUMER_RETRY,
  timeoutMs: undefined,
  deadType: undefined,
  transaction: inOwnTransaction(engine.kernel, connections),
  handle: (_, delivery) => handle(delivery),
  judge: (error) => ({ message: String(error), retryable: true }),
})
const message = (id: string): Message => ({
  id,
  type: "t",
  key: "k",
  headers: {},
  createdAt: 0,
  content: { payload: {} },
})
const take = (id: string, handle: (delivery: Delivery) => Promise<void>, signal = new AbortController().signal) =>
  takeMessage(engine.kernel, consumer(handle), { message: message(id), signal })
const waiting = () =>
  engine.db.script(`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%processed_events%'`)

test("F59, S19: the second holder of an event waits for the mark of the first, and skips", async () => {
  const [entered, leave] = [gate(), gate()]
  const first = take("held", async () => {
    entered.open()
    await leave.passed
  })
  await entered.passed
  const handled: string[] = []
  const second = take("held", async ({ messages }) => void handled.push(...messages.map(({ id }) => id)))
  await expect.poll(waiting).toHaveLength(1)
  leave.open()
  expect(await first).toBe("processed")
  expect(await second).toBe("repeated")
  expect(handled).toEqual([])
})

test("F59: when the event is taken away from the first, its work is rolled back and the second handles it", async () => {
  const entered = gate()
  const taken = new AbortController()
  const first = take(
    "moved",
    async ({ signal }) => {
      entered.open()
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("taken away"))))
    },
    taken.signal,
  )
  await entered.passed
  const second = take("moved", async () => {})
  await expect.poll(waiting).toHaveLength(1)
  taken.abort()
  await expect(first).rejects.toThrow("taken away")
  expect(await second).toBe("processed")
  expect(await take("moved", async () => {})).toBe("repeated")
})

describe("a message whose handler failed", () => {
  const signal = new AbortController().signal
  const lane = { consumer: "consume:g:t", lane: "key:failing" }
  const closed = () => engine.db.script(`select job_id from millrace.consumer_lanes where lane = '${lane.lane}'`)
  const fail = (id: string, retryAfterMs?: number) =>
    takeMessage(
      engine.kernel,
      {
        ...consumer(async () => {
          throw new Error("not now")
        }),
        judge: (error) => ({ message: String(error), retryable: true, ...(retryAfterMs ? { retryAfterMs } : {}) }),
      },
      { message: { ...message(id), key: "failing" }, signal },
    )

  test("F-14: is tried again when the system that pushed back has said, not by the policy", async () => {
    expect(await fail("pushed-back", 3_600_000)).toBe("failed")
    const [{ job_id: jobId } = { job_id: "" }] = await closed()
    const held = await engine.db.script(
      `select extract(epoch from visible_at - millrace.clock())::integer as seconds from millrace.jobs where instance_id = '${jobId}'`,
    )
    expect(held[0]?.seconds).toBeGreaterThan(3_000)
  })

  test("F-T10: its lane goes on by the end of its own job only", async () => {
    expect(await fail("behind")).toBe("queued")
    const [before] = await closed()
    const advance = (jobId: string) =>
      engine.db.transaction((tx) =>
        advanceLane(engine.kernel, tx, { consumer: consumer(async () => {}), lane: lane.lane, jobId }),
      )
    expect(await advance("01ARZ3NDEKTSV4RRFFQ69G5FAV")).toBe(false)
    expect(await closed()).toEqual([before])
    expect(await advance(String(before?.job_id))).toBe(true)
    expect(await closed()).not.toEqual([before])
  })
})

describe("a dead message", () => {
  const signal = new AbortController().signal
  const large = "x".repeat(300_000)
  const deadLetters = async (): Promise<unknown> =>
    (await engine.db.script("select count(*)::int as n from millrace.dead_letters"))[0]?.n
  const told = (type: string) =>
    engine.db.script(`select key, payload from millrace.events where type = '${type}' order by seq`)

  function bury(deadType: string, more: Partial<Message>): Promise<Taken> {
    const refusing: Consumer = {
      ...consumer(async () => {
        throw new Error("never")
      }),
      deadType,
      judge: (error) => ({ message: String(error), retryable: false }),
    }
    return takeMessage(engine.kernel, refusing, { message: { ...message(`dead-${deadType}`), ...more }, signal })
  }

  test.each<[string, Partial<Message>]>([
    ["headers", { headers: { trace: large } }],
    ["many-headers", { headers: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`h${n}`, "x"])) }],
    ["key", { key: large }],
    ["value", { content: { payload: { large } } }],
    ["unreadable", { content: { value: large, fault: "it is no JSON" }, headers: { trace: large }, key: large }],
  ])(
    "F-14, F-X3: with %s that are too large for an event it is told of, and its consumer goes on",
    async (what, more) => {
      const before = Number(await deadLetters())
      expect(await bury(`${what}.dlq`, more)).toBe("dead")
      expect(await deadLetters()).toBe(before + 1)
      const [event] = await told(`${what}.dlq`)
      expect(String(event?.key).length).toBeLessThanOrEqual(512)
      expect(String(event?.payload).length).toBeLessThanOrEqual(262_144)
    },
  )

  test("F58, F-X3: is told of although the outbox is full: the consumer that empties it must not wait for room in it", async () => {
    await engine.db.script(`insert into millrace.sinks (name, kind, after_seq, created_at)
      values ('slow', 'kafka', 0, now()); update millrace.outbox set high_watermark = 1`)
    const refused = publishEvent(engine.kernel, { type: "more", payload: {} })
    await expect(refused).rejects.toMatchObject({ code: "backpressure" })
    expect(await bury("full.dlq", {})).toBe("dead")
    expect(await told("full.dlq")).toHaveLength(1)
  })
})
