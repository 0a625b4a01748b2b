// Clocks that are wrong: that of a process decides nothing, and a step of the database's own gives no job to two workers.
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { databaseNow } from "../../../test-support/database-clock.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops, noTerm, sweepAll } from "../../../test-support/loops.ts"
import { jobRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { fireTimers } from "../../instances/run-timers.ts"

const HOUR_MS = 3_600_000
const LEASE_MS = 30_000

let engine: TestEngine
let worker: ReturnType<typeof drive>
let other: ReturnType<typeof drive>
beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  other = drive(engine.kernel, "w2")
  await holdLoops(engine.kernel)
  const boundaryEvents = [{ type: "TIMER", duration: "PT2H", interrupting: true, targetStepId: "late" }]
  await engine.upload(
    workflow("timed", [service("work", "end", { jobType: "timed", boundaryEvents }), service("late", "end"), end()]),
  )
})
afterEach(async () => {
  vi.useRealTimers()
  for (const job of await worker.claim(["timed", "late"], 10)) await worker.complete(job)
})
afterAll(() => engine.close())

/** As an operator or a time server sets it: the process learns of it with the next answer. */
async function stepClock(ms: number): Promise<void> {
  await engine.db.script(`update millrace.test_clock set offset_ms = offset_ms + ${ms}`)
  engine.kernel.clock.observe(await databaseNow(engine.db))
}

const round = async (): Promise<void> => {
  await sweepAll(engine.kernel)
  await fireTimers(engine.kernel, noTerm)
}
const stepsOf = async (id: string): Promise<unknown> => (await worker.get(id)).currentStepIds

test.each([
  ["a day ahead", 24 * HOUR_MS],
  ["an hour ahead", HOUR_MS],
  ["an hour behind", -HOUR_MS],
  ["a day behind", -24 * HOUR_MS],
])("F48, S6, S12: a process whose clock is %s ends no lease and fires no timer before its time", async (_name, ms) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms })
  const id = await worker.start("timed")
  const job = await worker.claimOne("timed", LEASE_MS)
  const now = await databaseNow(engine.db)
  expect(job.lockExpiresAt).toBeGreaterThan(now)
  expect(job.lockExpiresAt).toBeLessThanOrEqual(now + LEASE_MS)
  await round()
  expect(await jobRows(engine.db, id)).toMatchObject([{ status: "leased", lost_leases: 0 }])
  expect(await stepsOf(id)).toEqual(["work"])
  expect(await worker.complete(job)).toBe("accepted")
})

test("F49, S6, S7: a step forward ends a lease early, and the job is never two workers'", async () => {
  const id = await worker.start("timed")
  const job = await worker.claimOne("timed", LEASE_MS)
  await stepClock(HOUR_MS)
  await round()
  expect(await stepsOf(id)).toEqual(["work"])
  const next = await other.claimOne("timed", LEASE_MS)
  expect(await worker.complete(job)).toBe("stale")
  expect(await other.complete(next)).toBe("accepted")
})

test("F49, S6, S12: a step back makes leases and timers last longer, and ends nothing", async () => {
  const id = await worker.start("timed")
  const job = await worker.claimOne("timed", LEASE_MS)
  await stepClock(-HOUR_MS)
  await round()
  expect(await other.claim(["timed"])).toEqual([])
  await stepClock(2 * HOUR_MS - LEASE_MS)
  await round()
  expect(await stepsOf(id)).toEqual(["work"])
  await stepClock(HOUR_MS + LEASE_MS)
  await round()
  expect(await stepsOf(id)).toEqual(["late"])
  expect(await worker.complete(job)).toBe("stale")
})
