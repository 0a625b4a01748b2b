// A wait that is not answered in time and names a later step: which steps are called, what is on record, and what a changed list does.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { RetryableError, type Step, step, userTask, waitForSignal, workflow } from "../../index.ts"
import { eventually, type Mills, openMills } from "../../test-support/mills.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
let calls: string[]
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
beforeEach(() => {
  calls = []
})
afterAll(() => mills.close())

const resume = { recover: "resume" } as const
const HOUR_AND_MORE = 3_700_000
const within = "1h"
const note = (name: string) => step(name, () => void calls.push(name))
const approval = waitForSignal("approved", { within, onTimeout: { goTo: "close" } })
const close = step("close", ({ context }: Step<unknown, { approved?: unknown }>) => {
  calls.push(context.approved ? "close" : "cancel")
})
const order = (name: string) => workflow(name, { ...resume, steps: [note("order"), approval, note("ship"), close] })

async function parkedTooLong(flow: AnyWorkflow): Promise<string> {
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  await mills.advanceClock(HOUR_AND_MORE)
  return id
}

async function untilEnd(flow: AnyWorkflow, id: string) {
  const worker = await mill.work([flow])
  const run = await mill.runs.handle(id).ended()
  await worker.stop()
  return run
}

/** Its time has passed; the list of the worker that comes then may be another. */
async function late(flow: AnyWorkflow, now = flow): Promise<string> {
  const id = await parkedTooLong(flow)
  await untilEnd(now, id)
  return id
}

describe("a wait with a step to go to", () => {
  test("goes there when it is not answered in time, and skips what is between", async () => {
    const id = await late(order("late"))
    expect(calls).toEqual(["order", "cancel"])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: {} })
  })

  test("goes through all steps when it is answered", async () => {
    const flow = order("in-time")
    const run = await mill.start(flow, {})
    await mill.drain([flow])
    await run.signal("approved", { by: "ada" })
    await mill.drain([flow])
    expect(calls).toEqual(["order", "ship", "close"])
    expect(await run.status()).toBe("COMPLETED")
  })

  test("says in the run's steps which way was taken, and which were skipped", async () => {
    const id = await late(order("shown"))
    const steps = (await mill.runs.handle(id).steps()).filter(({ stepId }) => stepId !== "shown")
    expect(steps.map(({ stepId, status }) => [stepId, status])).toEqual([
      ["order", "COMPLETED"],
      ["approved", "FAILED"],
      ["ship", "SKIPPED"],
      ["close", "COMPLETED"],
    ])
    expect(steps[1]?.failureReason).toBe("was not answered within 1h: the list went on at close")
  })

  test("A-26: is no failure of best effort", async () => {
    const flow = order("no-failure")
    const id = await late(flow)
    expect((await mill.runs.failures({ workflow: flow, step: "approved" })).items).toEqual([])
    const view = `select step from millrace_views.best_effort_failure where instance_id = '${id}'`
    expect(await mills.tables.script(view)).toEqual([])
  })

  test("takes a user task back", async () => {
    const review = userTask({ name: "review", within, onTimeout: { goTo: "close" } })
    const id = await late(workflow("no-review", { ...resume, steps: [review, close] }))
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    const tasks = await mills.tables.script(`select status from millrace.user_tasks where instance_id = '${id}'`)
    expect(tasks).toEqual([{ status: "CANCELLED" }])
  })

  test("keeps to the way it took: an answer that comes later, while the target is tried again, changes nothing", async () => {
    let fails = true
    const again = step("close", () => {
      calls.push("close")
      if (fails) throw new RetryableError("not yet", { baseDelay: "1m", jitterFactor: 0 })
    })
    const flow = workflow("kept", { ...resume, steps: [approval, note("ship"), again] })
    const id = await parkedTooLong(flow)
    const worker = await mill.work([flow])
    await eventually(async () => calls).toEqual(["close"])
    await worker.stop()
    fails = false
    await mill.runs.handle(id).signal("approved", { by: "ada" })
    await mills.advanceClock(120_000)
    await untilEnd(flow, id)
    expect(calls).toEqual(["close", "close"])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: {} })
  })

  test("a payload that looks like a way is a payload", async () => {
    const flow = order("lookalike")
    const run = await mill.start(flow, {})
    await mill.drain([flow])
    await run.signal("approved", { goTo: "close" })
    await mill.drain([flow])
    expect(calls).toEqual(["order", "ship", "close"])
  })
})

describe("a run that waits already keeps what it was parked with", () => {
  const waiting = (name: string, onTimeout: "fail" | "continue") =>
    workflow(name, { ...resume, steps: [waitForSignal("approved", { within, onTimeout }), note("ship"), close] })
  const going = (name: string) => workflow(name, { ...resume, steps: [approval, note("ship"), close] })

  test.each([
    ["fail", "FAILED", []],
    ["continue", "COMPLETED", ["ship", "cancel"]],
  ] as const)("%s, when the code now names a step", async (before, status, called) => {
    const name = `names-now-${before}`
    const id = await late(waiting(name, before), going(name))
    expect(await mill.runs.get(id)).toMatchObject({ status })
    expect(calls).toEqual(called)
  })

  test("a step, when the code now says fail", async () => {
    const id = await late(going("fails-now"), waiting("fails-now", "fail"))
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["cancel"])
  })

  test("finds the step under the name that it has now", async () => {
    const renamed = step("finish", () => void calls.push("finish"), { was: "close" })
    const renaming = waitForSignal("approved", { within, onTimeout: { goTo: "finish" } })
    await late(going("renamed"), workflow("renamed", { ...resume, steps: [renaming, renamed] }))
    expect(calls).toEqual(["finish"])
  })

  test("waits while the list has no such step, and says so", async () => {
    const without = workflow("without", { ...resume, steps: [waitForSignal("approved", { within }), note("ship")] })
    const id = await parkedTooLong(going("without"))
    const worker = await mill.work([without])
    await eventually(async () => (await mill.runs.handle(id).waiting())[0]?.detail).toMatchObject({
      message: expect.stringContaining("has no step close to go on at now"),
    })
    await worker.stop()
    await mills.advanceClock(120_000)
    await untilEnd(going("without"), id)
    expect(calls).toEqual(["cancel"])
  })
})

describe("a restart", () => {
  test("from the target takes over the way; from a step that was skipped the wait is waited for again", async () => {
    const flow = order("restarted")
    const id = await late(flow)
    calls = []
    const atTarget = await mill.runs.handle(id).restart({ from: "close" })
    await mill.drain([flow])
    expect(calls).toEqual(["cancel"])
    expect(await atTarget.status()).toBe("COMPLETED")
    const between = await mill.runs.handle(id).restart({ from: "ship" })
    await mill.drain([flow])
    expect(await between.waiting()).toMatchObject([{ detail: { signals: ["approved"] } }])
    await between.signal("approved", { by: "ada" })
    await mill.drain([flow])
    expect(calls).toEqual(["cancel", "ship", "close"])
  })
})

test("what cannot be is refused where it is written", () => {
  const steps = [approval, note("ship")]
  expect(() => workflow("nowhere", { ...resume, steps: steps as never })).toThrow(
    "onTimeout of `approved` goes to `close`, which is no later step of the list",
  )
  expect(() => workflow("backwards", { ...resume, steps: [close, approval] as never })).toThrow("no later step")
  expect(() => waitForSignal("go", { onTimeout: { goTo: "x" } })).toThrow("means nothing without `within`")
  expect(() => waitForSignal("go", { within, onTimeout: { to: "x" } as never })).toThrow("name of a later step")
})

test("a function refuses it when it comes to the wait", async () => {
  const flow = workflow("function", (run) => run.signal("go", { within, onTimeout: { goTo: "x" } as never }))
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect((await mill.runs.get(id)).failureReason).toContain("which only a list can go to: catch the error instead")
})
