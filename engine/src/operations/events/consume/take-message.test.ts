// Two holders of one event: the second waits for the mark of the first, and skips what that has done.
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Message } from "../../../model/events/message.ts"
import { CONSUMER_RETRY } from "../../../model/events/retried-message.ts"
import { gate } from "../../../test-support/mills.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import type { Consumer, Delivery } from "./consumer.ts"
import { takeMessage } from "./take-message.ts"
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

test("F59: the second holder of an event waits for the mark of the first, and skips", async () => {
  const [entered, leave] = [gate(), gate()]
  const first = take("held", async () => {
    entered.open()
    await leave.passed
  })
  await entered.passed
  const handled: string[] = []
  const second = take("held", async ({ message: { id } }) => void handled.push(id))
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
