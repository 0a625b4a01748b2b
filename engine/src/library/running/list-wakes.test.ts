// The event accelerator: an event ends the delay of the runs that are linked to it, and losing one costs nothing but that delay.
import { afterAll, beforeAll, expect, test } from "vitest"
import { RetryableError, type Step, sleep, workflow } from "../../index.ts"
import { startClock, stopClock } from "../../test-support/database-clock.ts"
import { eventually, gate, type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

/** Blocked at its first attempt for an hour. */
const blocking = (name: string, wakeOn?: string) =>
  workflow(name, {
    steps: [
      function ask({ attempt }: Step) {
        if (attempt === 1) throw new RetryableError("not yet", { baseDelay: "PT1H", ...(wakeOn ? { wakeOn } : {}) })
      },
    ],
  })

test("A-35, A-36, A-T5: the event sets the time to now: the run is picked up at once, by another process too", async () => {
  const flow = blocking("by-intake")
  await mill.intake(flow, {}, { key: "wake-1", linkingId: "account-1" })
  await mill.drain([flow])
  const { id } = await mill.start(flow, {}, { key: "wake-1" })
  expect(await mills.row(id)).toMatchObject({ status: "PENDING", linking_id: "account-1" })
  const other = (await mills.another()).mill
  const worker = await other.work([flow])
  expect(await mill.wake("account-1")).toEqual({ woken: 1 })
  await eventually(() => mills.row(id)).toMatchObject({ status: "COMPLETE" })
  await worker.stop()
})

test("A-35: the linking id of a RetryableError replaces that of the intake", async () => {
  const flow = blocking("by-error", "account-2b")
  const { id } = await mill.start(flow, {}, { linkingId: "account-2a" })
  await mill.drain([flow])
  expect(await mill.wake("account-2a")).toEqual({ woken: 0 })
  expect(await mill.wake("account-2b")).toEqual({ woken: 1 })
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
})

test("A-35: one event wakes all the runs that are linked to it, and no other", async () => {
  const flow = blocking("many", "account-3")
  const other = blocking("other", "account-4")
  for (let n = 0; n < 5; n++) await mill.start(flow, {})
  await mill.start(other, {})
  await mill.drain([flow, other])
  expect(await mill.wake("account-3")).toEqual({ woken: 5 })
  expect(await mill.wake("account-3")).toEqual({ woken: 0 })
  expect(await mill.drain([flow, other])).toMatchObject({ processed: 5 })
})

test("A-T5: an event before the row exists, while it runs or after COMPLETE has no effect", async () => {
  const inside = gate()
  const goOn = gate()
  let attempts = 0
  const flow = workflow("untimely", {
    steps: [
      async function ask() {
        attempts += 1
        inside.open()
        await goOn.passed
        if (attempts === 1) throw new RetryableError("not yet", { baseDelay: "PT1H", wakeOn: "account-5" })
      },
    ],
  })
  expect(await mill.wake("account-5")).toEqual({ woken: 0 })
  const { id } = await mill.start(flow, {}, { linkingId: "account-5" })
  expect(await mill.wake("account-5")).toEqual({ woken: 0 })
  const worker = await mill.work([flow])
  await inside.passed
  expect(await mill.wake("account-5")).toEqual({ woken: 0 })
  goOn.open()
  // The event was lost: the delay is sat out, as long as it is.
  await eventually(() => mills.row(id)).toMatchObject({ retry_count: 1 })
  expect((await mills.row(id)).invisible_until).toBeGreaterThan(mills.kernel.clock.nowMs() + 1_000_000)
  await mills.advanceClock(3 * 3_600_000)
  await eventually(() => mills.row(id)).toMatchObject({ status: "COMPLETE" })
  expect(await mill.wake("account-5")).toEqual({ woken: 0 })
  expect(attempts).toBe(2)
  await worker.stop()
})

test("A-35: in a transaction of the caller's the event counts with its commit, and is not there after a rollback", async () => {
  const flow = blocking("in-tx", "account-6")
  await mill.start(flow, {})
  await mill.drain([flow])
  const client = await mills.tables.dedicated()
  await client.query("begin")
  expect(await mill.wake("account-6", { tx: client })).toEqual({ woken: 1 })
  await client.query("rollback")
  expect(await mill.drain([flow])).toMatchObject({ processed: 0 })
  await client.query("begin")
  expect(await mill.wake("account-6", { tx: client })).toEqual({ woken: 1 })
  await client.query("commit")
  client.release()
  expect(await mill.drain([flow])).toMatchObject({ processed: 1 })
})

test("A-35: an event ends no sleep and no wait: the run looks, and goes on waiting for the rest of its time", async () => {
  let slept = false
  const flow = workflow("sleeper", {
    recover: "resume",
    steps: [
      sleep("PT1H"),
      function after() {
        slept = true
      },
    ],
  })
  // What is left of a sleep is reckoned here, and the row is written by the database: no time passes in between.
  await stopClock(mills.kernel)
  const { id } = await mill.start(flow, {}, { linkingId: "account-7" })
  await mill.drain([flow])
  const until = (await mills.row(id)).invisible_until as number
  await mills.advanceClock(60_000)
  await mill.wake("account-7")
  await mill.drain([flow])
  expect(slept).toBe(false)
  expect((await mills.row(id)).invisible_until).toBe(until)
  await mill.runs.handle(id).cancel()
  await startClock(mills.kernel)
})
