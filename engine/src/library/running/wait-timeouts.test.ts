// What becomes of a run whose wait is not answered in time: it fails, unless it is told to go on.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Step, userTask, waitForSignal, workflow } from "../../index.ts"
import { eventually, type Mills, openMills } from "../../test-support/mills.ts"
import type { AnyWorkflow } from "../authoring/workflow.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

const resume = { recover: "resume" } as const
const HOUR_AND_MORE = 3_700_000

/** Parked, and its time has passed. */
async function startedTooLongAgo(flow: AnyWorkflow): Promise<string> {
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  await mills.advanceClock(HOUR_AND_MORE)
  return id
}

async function endOf(flow: AnyWorkflow, id: string) {
  const worker = await mill.work([flow])
  const run = await mill.runs.handle(id).ended()
  await worker.stop()
  return run
}

describe("a list", () => {
  test("fails when its wait is not answered in time: what comes after it does not happen", async () => {
    const shipped: string[] = []
    const ship = () => void shipped.push("order")
    const flow = workflow("unapproved", { ...resume, steps: [waitForSignal("approved", { within: "1h" }), ship] })
    const run = await endOf(flow, await startedTooLongAgo(flow))
    expect(run).toMatchObject({ status: "FAILED", failureReason: "approved: was not answered within 1h" })
    expect(shipped).toEqual([])
  })

  test("A-39: retried by hand it waits anew, for as long as at first", async () => {
    const flow = workflow("once-more", { ...resume, steps: [waitForSignal("approved", { within: "1h" })] })
    const id = await startedTooLongAgo(flow)
    await endOf(flow, id)
    await mill.runs.handle(id).retry()
    await mill.drain([flow])
    await mills.advanceClock(3_000_000)
    await mill.runs.handle(id).signal("approved", { by: "ada" })
    expect(await endOf(flow, id)).toMatchObject({ status: "COMPLETED", variables: { approved: { by: "ada" } } })
  })

  test("fails for a person who is late, too, and takes the task back", async () => {
    const flow = workflow("no-review", { ...resume, steps: [userTask({ name: "review", within: "1h" })] })
    const id = await startedTooLongAgo(flow)
    expect(await endOf(flow, id)).toMatchObject({
      status: "FAILED",
      failureReason: "review: was not answered within 1h",
    })
    const tasks = await mills.tables.script(`select status from millrace.user_tasks where instance_id = '${id}'`)
    expect(tasks).toEqual([{ status: "CANCELLED" }])
  })

  test("has failed at the wait, and says since when it waited; the engine's own code is no place to look", async () => {
    const review = userTask({ name: "review", within: "1h" })
    for (const [name, wait] of [
      ["no-signal", waitForSignal("go", { within: "1h" })],
      ["no-task", review],
    ] as const) {
      const flow = workflow(name, { ...resume, steps: [wait] })
      const id = await startedTooLongAgo(flow)
      await endOf(flow, id)
      const [step] = await mill.runs.handle(id).steps()
      const { startedAt = "", endedAt = "", stack, ...told } = step ?? {}
      expect(Date.parse(endedAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(HOUR_AND_MORE)
      expect(told).toMatchObject({ status: "FAILED", wait: { kind: name === "no-task" ? "user-task" : "signal" } })
      expect(stack).toBeUndefined()
    }
  })

  test("is not tried again for it, whatever its retry rule is", async () => {
    const retry = { base: 0 }
    const flow = workflow("no-retry", { ...resume, retry, steps: [waitForSignal("go", { within: "1h" })] })
    expect(await endOf(flow, await startedTooLongAgo(flow))).toMatchObject({ status: "FAILED" })
  })

  test("goes on without a value when it is told to", async () => {
    let seen: unknown = "nothing"
    const flow = workflow("goes-on", {
      ...resume,
      steps: [
        waitForSignal("paid", { within: "1h", onTimeout: "continue" }),
        function look({ context }: Step<unknown, { paid?: unknown }>) {
          seen = context.paid
        },
      ],
    })
    expect(await endOf(flow, await startedTooLongAgo(flow))).toMatchObject({ status: "COMPLETED" })
    expect(seen).toBeUndefined()
  })
})

describe("a run that waits already keeps what it was parked with", () => {
  const waiting = (name: string, onTimeout: "fail" | "continue") =>
    workflow(name, { ...resume, steps: [waitForSignal("go", { within: "1h", onTimeout })] })

  test.each([
    ["fail", "continue", "FAILED"],
    ["continue", "fail", "COMPLETED"],
  ] as const)("%s, when the code now says %s", async (before, now, status) => {
    const name = `parked-${before}`
    const id = await startedTooLongAgo(waiting(name, before))
    expect(await endOf(waiting(name, now), id)).toMatchObject({ status })
  })

  test("the version before said nothing of it, and went on", async () => {
    const flow = workflow("parked-long-ago", { ...resume, steps: [waitForSignal("go", { within: "1h" })] })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    await mills.tables.script(
      `update millrace.run_steps set value = (value::jsonb - 'onTimeout')::json where instance_id = '${id}'`,
    )
    await mills.advanceClock(HOUR_AND_MORE)
    expect(await endOf(flow, id)).toMatchObject({ status: "COMPLETED" })
  })
})

describe("a function", () => {
  test("is told by an error, ends with it, and waits anew when it is retried by hand", async () => {
    const flow = workflow("function-late", async (run) => run.signal("go", { within: "1h" }))
    const id = await startedTooLongAgo(flow)
    expect(await endOf(flow, id)).toMatchObject({ status: "FAILED", failureReason: "go: was not answered within 1h" })
    await mill.runs.handle(id).retry()
    await mill.drain([flow])
    await mill.runs.handle(id).signal("go", { n: 1 })
    expect(await endOf(flow, id)).toMatchObject({ status: "COMPLETED", variables: { result: { n: 1 } } })
  })

  test("may catch it, and finds it again at every attempt, though the signal has come meanwhile", async () => {
    const flow = workflow("function-caught", async (run) => {
      try {
        await run.userTask("review", { within: "1h" })
        return "reviewed"
      } catch (error) {
        await run.signal("go")
        return (error as Error).message
      }
    })
    const id = await startedTooLongAgo(flow)
    const worker = await mill.work([flow])
    await eventually(async () => (await mill.runs.handle(id).waiting())[0]?.detail).toMatchObject({ signals: ["go"] })
    await mill.runs.handle(id).signal("go", {})
    expect(await mill.runs.handle(id).ended()).toMatchObject({
      variables: { result: "review: was not answered within 1h" },
    })
    await worker.stop()
  })

  test("gets undefined when it is told to go on", async () => {
    const flow = workflow("function-on", async (run) => {
      const paid = await run.signal("paid", { within: "1h", onTimeout: "continue" })
      return paid === undefined ? "expired" : "paid"
    })
    expect(await endOf(flow, await startedTooLongAgo(flow))).toMatchObject({ variables: { result: "expired" } })
  })
})

test("what means nothing is refused where it is written", () => {
  expect(() => waitForSignal("go", { onTimeout: "continue" })).toThrow("means nothing without `within`")
  expect(() => waitForSignal("go", { within: "1h", onTimeout: "ignore" as never })).toThrow(
    'must be "fail", "continue" or { goTo: "name of a later step" }, not "ignore"',
  )
})
