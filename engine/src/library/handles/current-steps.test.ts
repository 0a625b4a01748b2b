// The step that a run of a list or a function has come to, in the rows of lists and in the one that is asked for.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RetryableError, step, waitForSignal, workflow } from "../../index.ts"
import { explainWaiting } from "../../operations/instances/explain-waiting.ts"
import { listStandings } from "../../store/runs/standings.ts"
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

/** The current steps at each door: the list, the list by key, one run by its id, one by its key. */
async function currentOf(flow: AnyWorkflow, id: string) {
  const rows = await mill.runs.list({ workflow: flow })
  const keyed = await mill.runs.list({ workflow: flow, keyPrefix: "k" })
  const one = [await mill.runs.get(id), await mill.runs.find({ workflow: flow, key: "k1" })]
  const [first, ...others] = [rows.items[0], keyed.items[0], ...one].map((run) => run?.currentStepIds)
  expect(others).toEqual([first, first, first])
  return first
}

const start = async (flow: AnyWorkflow) => (await mill.start(flow, {}, { key: "k1" })).id

test("a list is shown at its own step: before it is taken, at a wait, and at none when it has ended", async () => {
  const steps = [step("order", () => {}), waitForSignal("approved"), step("ship", () => {})] as const
  const flow = workflow("rows-list", { recover: "resume", steps })
  const id = await start(flow)
  expect(await currentOf(flow, id)).toEqual(["order"])
  await mill.drain([flow])
  expect(await currentOf(flow, id)).toEqual(["approved"])
  await mill.runs.handle(id).signal("approved", {})
  await mill.drain([flow])
  expect(await currentOf(flow, id)).toEqual([])
})

test("a step that is to be tried again is the one that is shown, in a list and in a function", async () => {
  const fails = () => {
    throw new RetryableError("busy")
  }
  const retry = { retries: 3, base: "1h" } as const
  const list = workflow("rows-retry", { recover: "resume", steps: [step("a", () => {}), step("b", fails, { retry })] })
  const called = workflow("rows-called", async (run) => {
    await run.step("first", () => 1)
    await run.step("second", fails, { retry })
  })
  for (const [flow, at] of [
    [list, "b"],
    [called, "second"],
  ] as const) {
    const id = await start(flow)
    await mill.drain([flow])
    expect(await currentOf(flow, id)).toEqual([at])
  }
})

test("a function is shown at what it waits for, and by its own name where its step is not known", async () => {
  const flow = workflow("rows-function", async (run) => {
    await run.step("first", () => 1)
    await run.all({ left: () => run.sleep("rest", "1h"), right: () => run.signal("go") })
  })
  const id = await start(flow)
  expect(await currentOf(flow, id)).toEqual(["rows-function"])
  await mill.drain([flow])
  const { items } = await mill.runs.list({ workflow: flow })
  const waits = (await mill.runs.handle(id).steps()).filter(({ status }) => status === "WAITING")
  expect(waits).toHaveLength(2)
  expect(items[0]?.currentStepIds.toSorted()).toEqual(waits.map(({ stepId }) => stepId).toSorted())
})

test("a list that a wait has led to a later step is shown there while it is at work, not at a step that was skipped", async () => {
  const seen: unknown[] = []
  const late = waitForSignal("approved", { within: "1h", onTimeout: { goTo: "close" } })
  const close = step("close", async () => {
    seen.push(
      await currentOf(flow, id),
      (await mill.runs.handle(id).steps()).map((one) => [one.stepId, one.status]),
    )
  })
  const flow: AnyWorkflow = workflow("rows-late", { recover: "resume", steps: [late, step("ship", () => {}), close] })
  const id = await start(flow)
  await mill.drain([flow])
  await mills.advanceClock(3_700_000)
  const worker = await mill.work([flow])
  await mill.runs.handle(id).ended()
  await worker.stop()
  const statuses = [
    ["approved", "FAILED"],
    ["ship", "SKIPPED"],
    ["close", "RUNNING"],
  ]
  expect(seen).toEqual([["close"], statuses])
})

describe("what a row costs does not grow with the steps of its run", () => {
  /** Parks the run when this many steps are on record, the wait included. */
  async function parkedAfter(recorded: number) {
    const flow = workflow(`rows-of-${recorded}`, async (run) => {
      for (let n = 1; n < recorded; n++) await run.step(`step-${n}`, () => n)
      await run.signal("go")
    })
    const id = await start(flow)
    await mill.drain([flow])
    return { flow, id }
  }

  test("up to 199 steps are looked at; a run with more is shown by the name of its workflow", async () => {
    const few = await parkedAfter(199)
    expect(await currentOf(few.flow, few.id)).toEqual(["go"])
    const many = await parkedAfter(200)
    expect(await currentOf(many.flow, many.id)).toEqual(["rows-of-200"])
  })

  test("of each run so many rows are read as are asked for, whatever it has on record", async () => {
    const [first, second] = [await parkedAfter(7), await parkedAfter(3)]
    const rows = await listStandings(mills.kernel.db, [first.id, second.id], 5)
    const readOf = (id: string) => rows.filter(({ instance_id }) => instance_id === id).length
    expect([readOf(first.id), readOf(second.id)]).toEqual([5, 3])
  })
})

test("a run that waits for a worker says of which workflow", async () => {
  const flow = workflow("rows-queued", { steps: [step("a", () => {})] })
  const [why] = await explainWaiting(mills.kernel, await start(flow))
  expect(why).toMatchObject({ kind: "job-queued", detail: { workflow: "rows-queued" } })
  expect(why?.detail.message).toMatch(/^Waits in the queue for a worker of the workflow rows-queued\./)
})
