// The guard's ledger on a real database: what operators change is found by every process, and notes stay few.
import type { ShadowEvent } from "@millrace/guard"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { stopClock } from "../../test-support/database-clock.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { GuardLedger } from "./ledger.ts"
import { guardNotesOf } from "./notes.ts"
import { pruneGuard } from "./prune-guard.ts"
import { readShadowStats } from "./read-guard.ts"

let engine: TestEngine
let ledger: GuardLedger
beforeAll(async () => {
  engine = await createTestEngine()
  // Notes are added up by the hour: none begins in the middle of a test.
  await stopClock(engine.kernel)
  ledger = new GuardLedger(engine.kernel)
})
afterAll(() => engine.close())
beforeEach(async () => {
  await engine.db.script(
    "truncate millrace.guard_blocks, millrace.guard_soft_blocks, millrace.guard_shadow_events, millrace.guard_traffic",
  )
})

const now = () => new Date(engine.kernel.clock.nowMs())
const after = (ms: number) => new Date(engine.kernel.clock.nowMs() + ms)
const address = (value: string) => ({ kind: "address" as const, value })
const block = (value: string, until?: Date) =>
  ledger.addBlock({ ...address(value), reason: "r", by: "ada", at: now(), until })

test("E-05, E-06: blocks are kept with who, why and until when; what is over is not one any more", async () => {
  await block("192.0.2.1")
  await block("192.0.2.2", after(60_000))
  const all = []
  for await (const { value } of ledger.blocks()) all.push(value)
  expect(all).toEqual(["192.0.2.1", "192.0.2.2"])
  expect(await ledger.findBlock(address("192.0.2.1"))).toMatchObject({ reason: "r", by: "ada", at: expect.any(Date) })
  await engine.advanceClock(120_000)
  expect(await ledger.findBlock(address("192.0.2.2"))).toBeUndefined()
  expect([
    await ledger.removeBlock(address("192.0.2.1"), "ada"),
    await ledger.removeBlock(address("192.0.2.1"), "ada"),
  ]).toEqual([true, false])
})

test("E-37: what changed since a cursor is told once, in order", async () => {
  const { cursor } = await ledger.changesSince(undefined)
  await block("192.0.2.3")
  await ledger.pardon("ip:192.0.2.4", "ada")
  await ledger.noteSoftBlocks([
    { subject: "ip:192.0.2.5", rule: "blocked-address", reason: "r", by: "ada", at: now(), until: after(60_000) },
  ])
  await ledger.setShadow({ all: false, rules: { rate: true } }, "ada")
  const changes = await ledger.changesSince(cursor)
  expect(changes).toMatchObject({
    blocks: [address("192.0.2.3")],
    pardons: ["ip:192.0.2.4"],
    shadow: { all: false, rules: { rate: true } },
  })
  expect(changes.softBlocks.map(({ subject }) => subject)).toEqual(["ip:192.0.2.5"])
  expect(await ledger.changesSince(changes.cursor)).toMatchObject({
    cursor: changes.cursor,
    blocks: [],
    pardons: [],
    softBlocks: [],
  })
  const beginner = await ledger.changesSince(undefined)
  expect(beginner.softBlocks.map(({ subject }) => subject)).toEqual(["ip:192.0.2.5"])
})

const event = (client: string, requestId: string): ShadowEvent => ({
  requestId,
  rule: "rate",
  state: "soft-blocked",
  client,
  routeClass: "public",
  path: "/v1/session",
  reason: "more than 100 calls in 60 s",
  at: now(),
})

test("E-15, SEC-65: ten thousand events of one client are one row, and of ten thousand clients no more than five thousand and one", async () => {
  const notes = guardNotesOf(engine.kernel)
  await ledger.noteShadowEvents(Array.from({ length: 10_000 }, (_, n) => event("ip:192.0.2.6", `r${n}`)))
  await notes.flush(engine.kernel)
  expect(await countRows(engine.db, "guard_shadow_events")).toBe(1)
  await ledger.noteShadowEvents(
    Array.from({ length: 10_000 }, (_, n) => event(`ip:10.0.${n >> 8}.${n & 255}`, `q${n}`)),
  )
  await notes.flush(engine.kernel)
  expect(await countRows(engine.db, "guard_shadow_events")).toBe(5_001)
  expect(await readShadowStats(engine.kernel)).toEqual({ total: 20_000, byRule: { rate: 20_000 } })
})

test("E-15: shadow events are forgotten after 24 hours, and so is all else that is over", async () => {
  await ledger.noteShadowEvents([event("ip:192.0.2.7", "r")])
  await guardNotesOf(engine.kernel).flush(engine.kernel)
  await block("192.0.2.8", after(60_000))
  await engine.advanceClock(25 * 3_600_000)
  expect(await readShadowStats(engine.kernel)).toEqual({ total: 0, byRule: {} })
  await pruneGuard(engine.kernel)
  for (const name of ["guard_shadow_events", "guard_traffic", "guard_blocks"])
    expect([name, await countRows(engine.db, name)]).toEqual([name, 0])
})
