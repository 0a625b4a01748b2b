// Parked events in the hands of an operator, on real PostgreSQL.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { insertSink } from "../../store/events/sinks.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { noTerm } from "../../test-support/loops.ts"
import { numberOf, RecordingSink } from "../../test-support/recording-sink.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { discardEvent, discardEvents, listParkedEvents, replayEvent, replayEvents } from "./parked-events.ts"
import { publishEvent } from "./publish-event.ts"
import { Relay } from "./relay.ts"

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
let sink: RecordingSink
let relay: Relay
let ids: string[]

beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
})
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})
/** There are three events of one key, and the first was refused. */
beforeEach(async () => {
  await kernel.db.script("delete from millrace.parked_events; delete from millrace.sinks")
  sink = new RecordingSink("s")
  sink.judge = ({ payload }) => (numberOf(payload) === 1 ? { kind: "refused", reason: "no" } : { kind: "sent" })
  await insertSink(kernel.db, sink.name, "in-process")
  await kernel.db.script("update millrace.sinks set after_seq = (select last_value from millrace.event_seq)")
  relay = new Relay(kernel, sink)
  ids = []
  for (const n of [1, 2, 3]) ids.push((await publishEvent(kernel, { type: "t", payload: { n }, key: "k" })).outcome.id)
  await drain()
})

async function drain(): Promise<void> {
  do while (await relay.round(noTerm));
  while ((await countRows(kernel.db, "sinks", "after_seq < (select last_value from millrace.event_seq)")) > 0)
}

const parked = async () => (await listParkedEvents(kernel, {}, { pageSize: 10 })).items
const ADA = { actor: "ada" }
const event = (n: number) => ({ sink: "s", id: ids[n - 1] as string })
const replay = (n: number) => replayEvent(kernel, ADA, event(n))
const discard = (n: number) => discardEvent(kernel, ADA, event(n))

test("F54: they are listed in order, with the reason, and in pages", async () => {
  expect(await parked()).toMatchObject([
    { id: ids[0], sink: "s", type: "t", key: "k", reason: "no", attempts: 1, isBehind: false },
    { id: ids[1], isBehind: true, attempts: 0 },
    { id: ids[2], isBehind: true, attempts: 0 },
  ])
  const first = await listParkedEvents(kernel, { sink: "s" }, { pageSize: 2 })
  const second = await listParkedEvents(kernel, { sink: "s" }, { pageSize: 2, cursor: first.nextCursor })
  expect([...first.items, ...second.items]).toEqual(await parked())
  expect(second.nextCursor).toBeUndefined()
})

test("F54, S18: a replay that is taken lets those behind it follow, in order", async () => {
  await expect(replay(2)).rejects.toMatchObject({ code: "conflict" })
  sink.judge = () => ({ kind: "sent" })
  await replay(1)
  await drain()
  expect(sink.payloads).toEqual([1, 2, 3])
  expect(await parked()).toEqual([])
  await expect(replay(1)).rejects.toMatchObject({ code: "not-found" })
})

test("F54: a replay that is refused again waits again, and so do those behind it", async () => {
  await replay(1)
  await drain()
  expect(sink.payloads).toEqual([])
  expect(await parked()).toHaveLength(3)
})

test("F54: one that is discarded is never sent, and those behind it follow", async () => {
  await discard(1)
  await drain()
  expect(sink.payloads).toEqual([2, 3])
  expect(await countRows(kernel.db, "changes", "kind = 'event-discarded' and actor = 'ada'")).toBeGreaterThan(0)
})

test("S18: one that is discarded from the middle does not let the next overtake the first", async () => {
  await discard(2)
  await drain()
  expect(sink.payloads).toEqual([])
  sink.judge = () => ({ kind: "sent" })
  await replay(1)
  await drain()
  expect(sink.payloads).toEqual([1, 3])
})

test("F54: they are found by sink, type and key, page by page over all sinks", async () => {
  const other = new RecordingSink("r")
  other.judge = () => ({ kind: "refused", reason: "never" })
  await insertSink(kernel.db, "r", "http")
  await kernel.db.script(
    "update millrace.sinks set after_seq = (select last_value from millrace.event_seq) where name = 'r'",
  )
  await publishEvent(kernel, { type: "u", payload: { n: 9 } })
  const both = [relay, new Relay(kernel, other)]
  while ((await parked()).length < 4) for (const one of both) await one.round(noTerm)
  const found = async (filter: object) => (await listParkedEvents(kernel, filter, { pageSize: 10 })).items
  expect((await parked()).map(({ sink }) => sink)).toEqual(["r", "s", "s", "s"])
  expect(await found({ type: "u" })).toMatchObject([{ sink: "r", reason: "never" }])
  expect(await found({ sink: "r", type: "t" })).toEqual([])
  expect(await found({ key: "k" })).toHaveLength(3)
  const pages: unknown[] = []
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await listParkedEvents(kernel, {}, { pageSize: 1, cursor })
    pages.push(...page.items)
    cursor = page.nextCursor
  }
  expect(pages).toEqual(await parked())
  await expect(listParkedEvents(kernel, {}, { pageSize: 1, cursor: "x" })).rejects.toMatchObject({
    code: "bad-request",
  })
})

test("S18: a replay of all that match sends the first of each key, and the others follow", async () => {
  const filter = { sink: "s", type: "t" }
  const dry = await replayEvents(kernel, ADA, { filter, dryRun: true })
  expect(dry.outcome).toEqual({ dryRun: true, matched: 1, changed: 0 })
  await drain()
  expect(sink.payloads).toEqual([])
  sink.judge = () => ({ kind: "sent" })
  const { outcome } = await replayEvents(kernel, ADA, { filter, dryRun: false })
  expect(outcome).toEqual({ dryRun: false, matched: 1, changed: 1 })
  await drain()
  expect(sink.payloads).toEqual([1, 2, 3])
})

test("S18: a discard of all that match frees the first that is left of each key, and no other", async () => {
  const headOf = async (key: string, ...types: string[]) => {
    for (const [at, type] of types.entries())
      await publishEvent(kernel, { type, payload: { n: at === 0 ? 1 : 4 }, key })
  }
  await headOf("a", "gone", "t", "gone", "t")
  await headOf("b", "t", "gone", "t")
  await drain()
  expect(await parked()).toHaveLength(10)
  const { outcome } = await discardEvents(kernel, ADA, { filter: { sink: "s", type: "gone" }, dryRun: false })
  expect(outcome).toEqual({ dryRun: false, matched: 3, changed: 3 })
  await drain()
  expect(sink.sent.map(({ key }) => key)).toEqual(["a", "a"])
  const left = (await parked()).map(({ key, attempts }) => [key, attempts])
  const behind = ["k", 0]
  expect(left).toEqual([["k", 1], behind, behind, ["b", 1], ["b", 0]])
  const noted = "kind = 'events-discarded' and actor = 'ada' and name = 's' and detail->>'changed' = '3'"
  expect(await countRows(kernel.db, "changes", noted)).toBe(1)
})

test("F54: what is asked of a sink that is not there is not found, and changes nothing", async () => {
  const filter = { sink: "nowhere" }
  await expect(discardEvents(kernel, ADA, { filter, dryRun: false })).rejects.toMatchObject({ code: "not-found" })
  await expect(discardEvent(kernel, ADA, { ...event(1), sink: "nowhere" })).rejects.toMatchObject({ code: "not-found" })
  expect(await parked()).toHaveLength(3)
})
