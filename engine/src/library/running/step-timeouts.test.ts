// The time of one try at a step: its signal is aborted, the try has failed, and what the step does later does not count.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { bestEffort, type Step, step, type TxStep, workflow } from "../../index.ts"
import { type Gate, gate, type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await mills.tables.script("create table public.written (what text)")
})
afterAll(() => mills.close())

const written = () => mills.tables.script("select what from public.written")
const never = () => new Promise<never>(() => {})
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener("abort", () => resolve())
  })

describe("a step that takes too long", () => {
  test("fails the run, also when it does not listen", async () => {
    const flow = workflow("hangs", { steps: [step("hang", never, { timeout: 20 })] })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "hang: timed out after 0.02 s" })
  })

  test("is told so by its signal, and tried again where its rule takes any error", async () => {
    const reasons: unknown[] = []
    async function call({ signal, attempt }: Step) {
      if (attempt > 1) return { attempt }
      await aborted(signal)
      reasons.push(signal.reason.name)
      throw new Error("in my own words")
    }
    const flow = workflow("listens", { steps: [step(call, { timeout: 20, retry: { retries: 1, base: 0 } })] })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { attempt: 2 } })
    expect(reasons).toEqual(["TimeoutError"])
    const [{ error } = { error: "" }] = await mills.tables.script(
      `select error from millrace.attempts where instance_id = '${id}'`,
    )
    expect(error).toBe("call: timed out after 0.02 s")
  })

  test("the time may be said once for all steps; one that is fast enough is not touched", async () => {
    const flow = workflow("for-all", { timeout: 50, steps: [step("fast", () => ({ a: 1 })), step("slow", never)] })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect((await mill.runs.get(id)).failureReason).toBe("slow: timed out after 0.05 s")
  })

  test("in the function form it is a failure of the call", async () => {
    const flow = workflow("function-time", async (run) => {
      try {
        await run.step("hang", never, { timeout: 20 })
      } catch (error) {
        return (error as Error).message
      }
      return "not reached"
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect((await mill.runs.get(id)).variables).toMatchObject({ result: "hang: timed out after 0.02 s" })
  })

  test("A-37: what it writes after its time is not committed with those that come after it", async () => {
    const late: Gate = gate()
    let told: unknown
    const slow = async ({ tx, signal }: TxStep) => {
      await tx.query("insert into public.written values ('in time')")
      await aborted(signal)
      told = await tx.query("insert into public.written values ('too late')").catch((error: Error) => error.name)
      late.open()
    }
    const flow = workflow("late-writes", {
      claim: "transaction",
      steps: [
        bestEffort(step("slow", slow, { timeout: 50 })),
        step("next", async ({ tx }: TxStep) => {
          await late.passed
          await tx.query("insert into public.written values ('next')")
        }),
      ],
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(told).toBe("TimeoutError")
    expect(await written()).toEqual([{ what: "next" }])
  })
})

test("what cannot be a limit is refused where it is written", () => {
  const make = (options: object) => () => step("a", () => {}, options as never)
  expect(make({ timeout: 0 })).toThrow("step a: timeout must be at least a millisecond")
  expect(make({ timout: 5 })).toThrow("step a: unknown option `timout`: did you mean `timeout`?")
  expect(make({ retry: "always" })).toThrow('step a: `retry` must be "marked", "all" or')
  expect(make({ retry: { retrys: 3 } })).toThrow("did you mean `retries`?")
  expect(make({ retry: { retries: -1 } })).toThrow("`retry.retries` must be a whole number from 0 to 10000")
  expect(make({ retry: { errors: "some" } })).toThrow('`retry.errors` must be "marked" or "all"')
  expect(make({ retry: { base: "5s", cap: "1s" } })).toThrow("retry.cap is shorter than base")
  expect(make({ retry: { factor: 0 } })).toThrow("retry.factor must be a number from 1 to 100")
  expect(() => workflow("w", { steps: [function a() {}], retry: { retries: 1.5 } })).toThrow(
    "workflow w: `retry.retries`",
  )
})
