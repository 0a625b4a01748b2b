// The steps of a run as a handle tells them: alike for a list, a function and a graph.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bestEffort, sleep, step, waitForSignal, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Mill } from "../running/mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

const done = () => ({ done: true })
const broken = (): never => {
  throw new Error("the amount is negative")
}

async function runOf(flow: AnyWorkflow) {
  const run = await mill.start(flow, {})
  await mill.drain([flow])
  return run
}

const standings = async (run: Awaited<ReturnType<typeof runOf>>) =>
  (await run.steps()).map(({ stepId, status }) => [stepId, status])

const named = async (run: Awaited<ReturnType<typeof runOf>>, name: string) => {
  const found = (await run.steps()).find(({ stepId }) => stepId === name)
  expect(found).toBeDefined()
  return found as NonNullable<typeof found>
}

describe.each(["restart", "resume"] as const)("a list that is to %s", (recover) => {
  const nameOf = (what: string) => `${what}-${recover}`

  test("has failed at the step that threw, with its stack; what comes after was not reached", async () => {
    const steps = [step("fetch", done), step("validate", broken), step("charge", done)]
    const run = await runOf(workflow(nameOf("failing"), { recover, steps }) as AnyWorkflow)
    expect(await standings(run)).toEqual([
      ["fetch", "COMPLETED"],
      ["validate", "FAILED"],
      ["charge", "PENDING"],
    ])
    const failed = await named(run, "validate")
    expect(failed.failureReason).toBe("the amount is negative")
    expect(failed.stack).toMatch(/^Error: the amount is negative\n +at broken .*run-steps\.test/)
    expect(failed.isTolerated).toBeUndefined()
    // The worker tells the beginning by its reckoning of the database's clock, the database tells the end: either may be ahead by a little.
    const time = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(await named(run, "fetch")).toMatchObject({ startedAt: time, endedAt: time })
    expect(failed).toMatchObject({ startedAt: time, endedAt: time })
  })

  test("has the attempts of a step at that step, each with its stack", async () => {
    let left = 2
    const pay = () => {
      left -= 1
      if (left >= 0) throw new Error("the bank is away")
    }
    const steps = [step("check", done), step("pay", pay, { retry: { retries: 3, base: 0 } })]
    const run = await runOf(workflow(nameOf("paying"), { recover, steps }) as AnyWorkflow)
    const paid = await named(run, "pay")
    expect(paid.status).toBe("COMPLETED")
    expect(paid.attempts).toMatchObject([
      { attempt: 1, outcome: "failed", error: "the bank is away", stack: expect.stringContaining("at pay") },
      { attempt: 2, outcome: "failed", error: "the bank is away" },
    ])
    expect((await named(run, "check")).attempts).toBeUndefined()
  })

  test("a best-effort step that failed is tolerated, and the run is completed", async () => {
    const steps = [bestEffort(step("greet", broken)), step("ship", done)]
    const run = await runOf(workflow(nameOf("tolerant"), { recover, steps }) as AnyWorkflow)
    expect(await run.status()).toBe("COMPLETED")
    expect(await named(run, "greet")).toMatchObject({
      status: "FAILED",
      isTolerated: true,
      failureReason: "the amount is negative",
      stack: expect.stringContaining("at broken"),
    })
    expect((await named(run, "ship")).status).toBe("COMPLETED")
  })

  test("waits to be tried again at the step that failed", async () => {
    const steps = [step("check", done), step("pay", broken, { retry: { retries: 3, base: "1h", jitter: "partial" } })]
    const run = await runOf(workflow(nameOf("retrying"), { recover, steps }) as AnyWorkflow)
    const pay = await named(run, "pay")
    expect(pay).toMatchObject({ status: "WAITING", wait: { kind: "retry", dueAt: expect.any(String) } })
    expect(pay.attempts).toHaveLength(1)
  })

  test("a run that was retried by hand has the failure before as an attempt at its step", async () => {
    let isWell = false
    const mend = () => {
      if (!isWell) throw new Error("not yet")
    }
    const flow = workflow(nameOf("mended"), { recover, steps: [step("mend", mend)] }) as AnyWorkflow
    const run = await runOf(flow)
    isWell = true
    await run.retry()
    await mill.drain([flow])
    expect(await named(run, "mend")).toMatchObject({
      status: "COMPLETED",
      attempts: [{ attempt: 1, outcome: "failed", error: "not yet" }],
    })
  })
})

describe("a worker that was lost", () => {
  /** The worker dies in the call of `pay`, and another one takes over. */
  async function lostAtPay(flow: AnyWorkflow) {
    const run = await mill.start(flow, {})
    const dying = mills.dying((place, what) => place === "calling" && what === "pay")
    await dying.drain([flow], {})
    await dying.stop()
    await mills.endLeases()
    return run
  }
  const lost = { attempt: 1, outcome: "lost", error: "heartbeat timeout", workerId: expect.any(String) }

  test("has left an attempt at the step of a list that records its steps, since the step before had ended", async () => {
    const flow = workflow("losing-resume", { recover: "resume", steps: [step("check", done), step("pay", done)] })
    const run = await lostAtPay(flow as AnyWorkflow)
    expect((await named(run, "pay")).attempts).toMatchObject([lost])
    await mill.drain([flow] as AnyWorkflow[])
    const [check, pay] = [await named(run, "check"), await named(run, "pay")]
    expect(check.attempts).toBeUndefined()
    expect(pay).toMatchObject({ status: "COMPLETED", attempts: [{ ...lost, startedAt: check.endedAt }] })
  })

  test("has left it at the run as a whole where no step is on record", async () => {
    const flow = workflow("losing-restart", { steps: [step("check", done), step("pay", done)] }) as AnyWorkflow
    const run = await lostAtPay(flow)
    await mill.drain([flow])
    expect(await standings(run)).toEqual([
      ["losing-restart", "COMPLETED"],
      ["check", "COMPLETED"],
      ["pay", "COMPLETED"],
    ])
    const { startedAt, attempts = [] } = await named(run, "losing-restart")
    expect(attempts).toMatchObject([{ ...lost, startedAt: expect.any(String) }])
    expect(Date.parse(attempts[0]?.startedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(startedAt ?? ""))
  })
})

describe("a list that waits", () => {
  test("stands at its own step, and says what it waits for and until when", async () => {
    const steps = [step("place", done), sleep("PT24H", { name: "cool-down" }), waitForSignal("paid")]
    const flow = workflow("sleepy", { recover: "resume", steps }) as AnyWorkflow
    const run = await runOf(flow)
    expect(await standings(run)).toEqual([
      ["place", "COMPLETED"],
      ["cool-down", "WAITING"],
      ["paid", "PENDING"],
    ])
    const { wait } = await named(run, "cool-down")
    expect(wait).toMatchObject({
      kind: "sleep",
      message: expect.stringContaining("Sleeps until"),
      dueAt: expect.any(String),
    })
    expect((await named(run, "place")).output).toEqual({ done: true })
    await mills.advanceClock(25 * 3_600_000)
    await mills.tables.script("update millrace.jobs set status = 'ready', visible_at = null where status = 'held'")
    await mill.drain([flow])
    expect(await named(run, "cool-down")).toMatchObject({ status: "COMPLETED", wait: { kind: "sleep" } })
    expect(await named(run, "paid")).toMatchObject({ status: "WAITING", wait: { kind: "signal" } })
    await run.cancel()
    expect(await named(run, "paid")).toMatchObject({ status: "SKIPPED" })
  })
})

describe("a function", () => {
  test("is told as it unfolded: branches by name, the child by its id, the call that failed with its stack", async () => {
    const shipping = workflow("shipping", async (run) => run.step("pack", done))
    const flow = workflow("ordering", async (run) => {
      await run.all({
        mail: () => run.step("send mail", done),
        stock: () => run.step("reserve", done, { key: "sku-1" }),
      })
      await run.child(shipping, {})
      await run.step("bill", broken)
    })
    const worker = await mill.work([flow, shipping] as AnyWorkflow[])
    const run = await mill.start(flow, {})
    expect((await run.ended()).status).toBe("FAILED")
    await worker.stop()
    expect((await named(run as never, "send mail")).branch).toEqual(["mail"])
    expect((await named(run as never, "reserve/sku-1")).branch).toEqual(["stock"])
    const child = await named(run as never, "shipping")
    expect(child).toMatchObject({ status: "COMPLETED", wait: { kind: "child" } })
    expect(await mill.runs.get(child.childId ?? "")).toMatchObject({ parentId: run.id, definitionId: "shipping" })
    const last = (await run.steps()).at(-1)
    expect(last).toMatchObject({ stepId: "bill", status: "FAILED", stack: expect.stringContaining("at broken") })
  })

  test("a failure that it caught is tolerated", async () => {
    const flow = workflow("catching", async (run) => {
      await run.step("try", broken).catch(() => {})
      await run.step("go on", done)
    })
    const run = await mill.start(flow, {})
    await mill.drain([flow] as AnyWorkflow[])
    expect(await named(run as never, "try")).toMatchObject({ status: "FAILED", isTolerated: true })
  })
})

test("the key of a run is told with it, in a list as well", async () => {
  const flow = workflow("keyed", { steps: [step("one", done)] }) as AnyWorkflow
  const run = await mill.start(flow, {}, { key: "order-77" })
  expect((await mill.runs.get(run.id)).key).toBe("order-77")
  const { items } = await mill.runs.list({ workflow: "keyed" })
  expect(items.map(({ key }) => key)).toEqual(["order-77"])
})

describe("a wait of a run that is cancelled", () => {
  const after = step("after", done)
  const flows = {
    "at a signal": workflow("cancelled-signal", { recover: "resume", steps: [waitForSignal("wait"), after] }),
    "at a sleep": workflow("cancelled-sleep", { recover: "resume", steps: [sleep("1h", { name: "wait" }), after] }),
    "of a function": workflow("cancelled-function", async (run) => {
      await run.signal("wait")
      return {}
    }),
  }

  test.each(Object.entries(flows))("%s ends with the cancel", async (_name, flow) => {
    const run = await runOf(flow as AnyWorkflow)
    await mills.advanceClock(60_000)
    await run.cancel({ reason: "no longer wanted" })
    const wait = (await run.steps()).find(({ stepId }) => stepId === "wait")
    expect(wait).toMatchObject({ status: "SKIPPED", endedAt: (await run.ended()).completedAt })
    expect(Date.parse(wait?.endedAt as string) - Date.parse(wait?.startedAt as string)).toBeGreaterThanOrEqual(60_000)
  })
})
