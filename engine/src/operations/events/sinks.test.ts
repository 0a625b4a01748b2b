// How sinks stand, and how one is forgotten, on real PostgreSQL.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { insertSink } from "../../store/events/sinks.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../test-support/database-clock.ts"
import { noTerm } from "../../test-support/loops.ts"
import { RecordingSink } from "../../test-support/recording-sink.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { TERM_MS, takePulse } from "../upkeep/take-pulse.ts"
import { publishEvent } from "./publish-event.ts"
import { Relay } from "./relay.ts"
import { forgetSink, listSinks } from "./sinks.ts"

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
let sink: RecordingSink
let relay: Relay

beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
  // A leader that is silent for some seconds is none: a slow machine lets none pass.
  await stopClock(kernel)
})
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})
beforeEach(async () => {
  await kernel.db.script(`delete from millrace.parked_events; delete from millrace.sinks; delete from millrace.leaders;
    delete from millrace.sink_moves`)
  sink = new RecordingSink("s")
  relay = new Relay(kernel, sink)
  await insertSink(kernel.db, "s", "kafka")
  await kernel.db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
})

const publish = (n: number) => publishEvent(kernel, { type: "t", payload: { n }, key: String(n) })
const only = async () => (await listSinks(kernel))[0]

/** Until the relay has passed all that was published. */
async function drain(): Promise<void> {
  do await relay.round(noTerm)
  while ((await countRows(kernel.db, "sinks", "after_seq < (select last_value from millrace.event_seq)")) > 0)
}

const lead = () => takePulse(kernel, "p1", 0, ["sink:s"])

test("F-11, F-24: a sink shows how many wait, since when, who sends, and what is parked", async () => {
  expect(await only()).toMatchObject({ name: "s", kind: "kafka", depth: 0, lagSeconds: 0, parked: 0, failures: 0 })
  expect(await only()).not.toHaveProperty("leader")
  await publish(1)
  await advanceClock(kernel, 90_000)
  await lead()
  const waiting = await only()
  expect(waiting).toMatchObject({ depth: 1, leader: "p1", perSecond: 0 })
  expect(waiting?.lagSeconds).toBeGreaterThanOrEqual(90)
  sink.judge = () => ({ kind: "refused", reason: "too large" })
  await drain()
  expect(await only()).toMatchObject({ depth: 0, lagSeconds: 0, parked: 1, movedAt: expect.any(String) })
})

test("F-24: a leader that misses its pulses is shown no more", async () => {
  await lead()
  expect((await only())?.leader).toBe("p1")
  await advanceClock(kernel, TERM_MS + 1_000)
  expect(await only()).not.toHaveProperty("leader")
})

test("F-24: the rate is that of the last minute", async () => {
  await publish(1)
  await drain()
  await advanceClock(kernel, 61_000)
  for (let n = 2; n <= 7; n++) await publish(n)
  await drain()
  expect((await only())?.perSecond).toBe(0.1)
  await advanceClock(kernel, 61_000)
  expect((await only())?.perSecond).toBe(0)
})

test("a sink that takes nothing says why, and when it is tried again", async () => {
  sink.judge = () => ({ kind: "retry", reason: "broker away" })
  await publish(1)
  while ((await only())?.failures === 0) await relay.round(noTerm)
  expect(await only()).toMatchObject({ failures: 1, lastError: "broker away", retryAt: expect.any(String), depth: 1 })
})

const FORGET = { name: "s", reason: "no longer wanted", force: false }
const ADA = { actor: "ada" }

test("a sink whose relay lives is not forgotten, unless it is forced; its relay then sends nothing", async () => {
  await lead()
  await publish(1)
  await expect(forgetSink(kernel, ADA, FORGET)).rejects.toMatchObject({
    code: "conflict",
    message: "the process p1 sends to the sink s: stop it first, or say force",
  })
  expect(await only()).toMatchObject({ name: "s" })
  await forgetSink(kernel, ADA, { ...FORGET, force: true })
  expect(await listSinks(kernel)).toEqual([])
  expect(await relay.round(noTerm)).toBe(false)
  expect(sink.sent).toEqual([])
  const detail = "detail->>'reason' = 'no longer wanted' and detail->>'leader' = 'p1'"
  expect(await countRows(kernel.db, "changes", `kind = 'sink-forgotten' and actor = 'ada' and ${detail}`)).toBe(1)
})

test("with a sink goes all that is kept for it, and one that is not there is not found", async () => {
  sink.judge = () => ({ kind: "refused", reason: "no" })
  await publish(1)
  await drain()
  await forgetSink(kernel, ADA, FORGET)
  for (const table of ["sinks", "parked_events", "sink_moves"])
    expect(await countRows(kernel.db, table, "true")).toBe(0)
  await expect(forgetSink(kernel, ADA, FORGET)).rejects.toMatchObject({ code: "not-found" })
})
