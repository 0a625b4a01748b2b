// Runs that live for months: what they met long ago is not held against them.
import { afterAll, beforeAll, expect, test } from "vitest"
import { RetryableError, type Step, workflow } from "../../index.ts"
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

test("A-38: the retries are counted anew behind every wait, and so are lost workers", async () => {
  let tries = 0
  const blockedTwice = () => {
    tries += 1
    if (tries % 3 !== 0) throw new RetryableError("later", { baseDelay: 0 })
  }
  const flow = workflow("months", { retry: { retries: 2 } }, async (run) => {
    for (const month of ["1", "2", "3"]) {
      await run.step("bill", blockedTwice, { key: month })
      await run.signal("paid", { key: month })
    }
  })
  const { id } = await mill.start(flow, {})
  for (let month = 1; month <= 3; month++) {
    const dying = mills.dying((place, verb) => place === "reporting" && verb === "fail")
    await dying.drain([flow], {})
    await dying.stop()
    await mills.endLeases()
    await mill.drain([flow])
    const [job] = await mills.tables.script(
      `select status, retries_left, lost_leases from millrace.jobs where instance_id = '${id}'`,
    )
    expect(job).toEqual({ status: "held", retries_left: 2, lost_leases: 0 })
    await mill.runs.handle(id).signal("paid", {})
  }
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(tries).toBe(9)
})

test("a step that fails when its function has ended already ends no process", async () => {
  const flow = workflow("after-the-end", async (run) => {
    const late = run.step("late", async () => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      throw new Error("nobody looks at me")
    })
    await run.step("now", () => {
      throw new Error("boom")
    })
    await late
  })
  const rejections: unknown[] = []
  const note = (reason: unknown) => void rejections.push(reason)
  process.on("unhandledRejection", note)
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  await new Promise((resolve) => setTimeout(resolve, 50))
  process.off("unhandledRejection", note)
  expect(rejections).toEqual([])
  expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "now: boom" })
})

test.each(["list", "function"])(
  "code that never ends holds its place only as long as the run is its own (%s)",
  async (kind) => {
    const inside = gate()
    let isAborted = false
    const hang = ({ signal }: Pick<Step, "signal">): Promise<never> => {
      signal.addEventListener("abort", () => (isAborted = true))
      inside.open()
      return new Promise(() => {})
    }
    const hanging =
      kind === "list"
        ? workflow("hangs-list", { steps: [hang] })
        : workflow("hangs-function", async (run) => run.step("hang", hang))
    const quick = workflow(`quick-${kind}`, { steps: [function nothing() {}] })
    // Its lease ends where the test says so, and not because the machine is slow.
    await stopClock(mills.kernel)
    const worker = await mill.work([hanging, quick], { leaseMs: 1_500 })
    const stuck = await mill.start(hanging, {})
    await inside.passed
    const { id } = await mill.start(quick, {})
    const leaseOf = () => mills.tables.script("select lease_until from millrace.jobs where status = 'leased'")
    const [lease] = await leaseOf()
    await mills.advanceClock(500)
    await eventually(leaseOf).not.toEqual([lease])
    // The worker is alive, and has room for one run at a time.
    expect(await mill.runs.get(id)).toMatchObject({ status: "ACTIVE" })
    expect(await mill.runs.get(stuck.id)).toMatchObject({ status: "ACTIVE" })
    await stuck.cancel()
    await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(isAborted).toBe(true)
    await worker.stop()
    await startClock(mills.kernel)
  },
)

test("no worker begins in a mill that is being stopped", async () => {
  const { mill: own } = await mills.another()
  const flow = workflow("too-late-to-work", { steps: [function nothing() {}] })
  const working = own.work([flow])
  const outcome = expect(working).rejects.toMatchObject({ code: "unavailable" })
  await own.stop().catch(() => {})
  await outcome
  await expect(own.work([flow])).rejects.toThrow()
})
