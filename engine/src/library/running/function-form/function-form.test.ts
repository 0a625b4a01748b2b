// The function form: named calls are done once, known by name and key, and the code around them may run as often as it likes.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { RetryableError, workflow } from "../../../index.ts"
import { explainWaiting } from "../../../operations/instances/explain-waiting.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { eventually, type Mills, openMills } from "../../../test-support/mills.ts"
import { OF_THE_PROCESS } from "../../../test-support/quiet.ts"
import type { AnyWorkflow } from "../../authoring/workflow.ts"
import type { Mill } from "../mill.ts"

let mills: Mills
let mill: Mill
let calls: string[]
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())
beforeEach(() => {
  calls = []
})

async function dieAt(flow: AnyWorkflow, step: string): Promise<void> {
  const workers = mills.dying((place, name) => place === "recorded" && name === step)
  await workers.drain([flow], {})
  await workers.stop()
  await mills.endLeases()
}

const noting = (name: string) => () => {
  calls.push(name)
  return name
}

test("a worker that dies between calls: those on record give back what they gave, the others are done", async () => {
  const flow = workflow("dies", async (run, input: { n: number }) => {
    const a = await run.step("a", noting("a"))
    const b = await run.step("b", noting("b"))
    return { a, b, n: input.n }
  })
  const { id } = await mill.start(flow, { n: 7 })
  await dieAt(flow, "a")
  await mill.drain([flow])
  expect(calls).toEqual(["a", "b"])
  expect(await mill.runs.get(id)).toMatchObject({
    status: "COMPLETED",
    variables: { result: { a: "a", b: "b", n: 7 } },
  })
})

test("a loop with keys; without them the second call of a name is a clear error", async () => {
  const loop = (keyed: boolean) =>
    workflow(keyed ? "keyed" : "unkeyed", async (run) => {
      for (const sku of ["x", "y", "z"]) await run.step("reserve", noting(sku), keyed ? { key: sku } : {})
    })
  const good = await mill.start(loop(true), {})
  const bad = await mill.start(loop(false), {})
  await mill.drain([loop(true), loop(false)])
  expect(await mill.runs.get(good.id)).toMatchObject({ status: "COMPLETED" })
  expect((await mill.runs.get(bad.id)).failureReason).toMatch(
    "reserve is called twice in one run: give each call a key",
  )
  expect(calls).toEqual(["x", "y", "z", "x"])
})

describe("what a step returns", () => {
  test.each<[string, unknown, unknown]>([
    ["nothing", undefined, undefined],
    ["null", null, null],
    ["a text", "text", "text"],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["undefined in an object", { a: undefined, b: 1 }, { b: 1 }],
    ["a function in an array", [() => 1], [null]],
  ])("%s: the same at once and after a crash", async (name, value, stored) => {
    const seen: unknown[] = []
    const flow = workflow(`returns-${name.replaceAll(" ", "-")}`, async (run) => {
      seen.push(await run.step("value", () => value))
      await run.step("after", () => {})
    })
    await mill.start(flow, {})
    await dieAt(flow, "value")
    const again = workflow(flow.name, async (run) => {
      seen.push(await run.step("value", () => "never called"))
      await run.step("after", () => {})
    })
    await mill.drain([again])
    expect(seen).toEqual([stored])
    // The worker died behind the record, before the function was given it: both ways are asked for here.
    const whole = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(whole.id)).toMatchObject({ status: "COMPLETED" })
    expect(seen).toEqual([stored, stored])
  })

  test.each<[string, () => unknown, RegExp]>([
    ["a bigint", () => 1n, /^value: what value returns cannot be written as JSON: result is a bigint/],
    ["a circle", circle, /^value: what value returns cannot be written as JSON: result\.self is a circle/],
    [
      "a promise inside",
      () => ({ receipt: Promise.resolve("r") }),
      /^value: what value returns cannot be written as JSON: result.receipt is a promise; await it/,
    ],
    ["a map", () => new Map([[1, 2]]), /^value: what value returns cannot be written as JSON: result is a Map/],
    ["a nul", () => "a\u0000b", /^value: what value returns: the character \\u0000/],
    ["2 MB", () => ["x".repeat(200_000), "y".repeat(900_000)], /^value: what value returns: /],
  ])("%s is refused, and the run says so", async (name, value, reason) => {
    const flow = workflow(`refused-${name.replaceAll(" ", "-")}`, async (run) => run.step("value", value))
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect((await mill.runs.get(id)).failureReason).toMatch(reason)
  })
})

function circle(): object {
  const a: { self?: object } = {}
  a.self = a
  return a
}

test("a step that was renamed: the run is parked, says what differs, does nothing again, and goes on with better code", async () => {
  const code = (name: string) =>
    workflow("renaming", async (run) => {
      await run.step(name, noting(name))
      await run.signal("go")
      await run.step("end", noting("end"))
    })
  const { id } = await mill.start(code("charge"), {})
  await mill.drain([code("charge")])
  await mill.runs.handle(id).signal("go", {})
  await mill.drain([code("chargeCard")])
  expect(calls).toEqual(["charge"])
  const [why] = await explainWaiting(mills.kernel, id)
  expect(why?.detail.message).toMatch(
    "the code has changed: it asks for chargeCard, which is not recorded, before it has asked for charge, go, which are",
  )
  await mills.advanceClock(61_000)
  const worker = await mill.work([code("charge")])
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(calls).toEqual(["charge", "end"])
  await worker.stop()
})

describe("failures", () => {
  test("an error outside of any step fails the run with its message", async () => {
    const flow = workflow("outside", async (run) => {
      await run.step("a", noting("a"))
      throw new Error("not in a step")
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "not in a step" })
  })

  test("a RetryableError, in a step or outside, is tried again, and recorded steps are not", async () => {
    let tries = 0
    const flow = workflow("again", async (run) => {
      await run.step("a", noting("a"))
      tries += 1
      if (tries === 1) throw new RetryableError("outside", { baseDelay: 0 })
      await run.step("b", () => {
        calls.push("b")
        if (tries === 2) throw new RetryableError("inside", { baseDelay: 0 })
      })
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["a", "b", "b"])
  })

  test("a failure that the function has caught is on record: after a crash it fails alike, and the compensation stays done", async () => {
    const flow = workflow("caught", async (run) => {
      try {
        await run.step("charge", () => {
          calls.push("charge")
          throw new Error("declined")
        })
      } catch (error) {
        calls.push((error as Error).message)
        await run.step("refund", noting("refund"))
      }
      return run.step("end", noting("end"))
    })
    const { id } = await mill.start(flow, {})
    await dieAt(flow, "refund")
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { result: "end" } })
    expect(calls).toEqual(["charge", "charge: declined", "refund", "charge: declined", "end"])
    expect((await mill.runs.failures({ workflow: flow, step: "charge" })).items).toMatchObject([
      { instanceId: id, error: "declined" },
    ])
  })

  test("A-39: a run that failed in a step does that step again when it is retried, on record or not", async () => {
    let broken = true
    const flow = workflow("mended", async (run) => {
      try {
        await run.step("work", () => {
          calls.push("work")
          if (broken) throw new Error("boom")
        })
      } catch (error) {
        await run.step("tell", noting("tell"))
        throw new Error("gave up", { cause: error })
      }
      await run.step("after", noting("after"))
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "gave up" })
    broken = false
    await mill.runs.handle(id).retry()
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["work", "tell", "work", "after"])
  })
})

test("1,000 steps: the last hundred cost as much as the first", async () => {
  const flow = workflow("long", async (run) => {
    for (let n = 1_000; n < 2_000; n++) await run.step("step", () => n, { key: String(n) })
  })
  const { id } = await mill.start(flow, {})
  // On a slow machine it takes so long that loops would fall due meanwhile.
  await holdLoops(mills.kernel)
  const queries = vi.spyOn(mills.kernel.db, "query")
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  // The lease is renewed as time passes, on a slow machine more often.
  const calls = queries.mock.calls.filter(([{ name }]) => !OF_THE_PROCESS.test(name) && name !== "jobs.heartbeatJobs")
  const records = calls.filter(([{ name }]) => name === "run-steps.recordSteps").map(([, values]) => values)
  // One statement for each step, and a handful for the run; and none of them carries more because it comes late.
  expect(records).toHaveLength(1_000)
  expect(calls.length).toBeLessThan(1_010)
  expect(JSON.stringify(records.slice(900)).length).toBeLessThan(1.1 * JSON.stringify(records.slice(0, 100)).length)
  vi.restoreAllMocks()
})
