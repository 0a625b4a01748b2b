// Retry rules in the function form: a call that may be tried again is, before the function hears of its failure.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { NonRetryableError, RetryableError, type Run, workflow } from "../../../index.ts"
import { type Mills, openMills } from "../../../test-support/mills.ts"
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

const failing = (name: string, times: number, error: () => Error = () => new Error(`${name} is broken`)) => {
  let left = times
  return ({ attempt }: { readonly attempt: number }) => {
    calls.push(`${name} ${attempt}`)
    left -= 1
    if (left >= 0) throw error()
    return name
  }
}

async function runOf(flow: AnyWorkflow) {
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  return mill.runs.get(id)
}

test("a call is tried as often as it says; then the function hears of it, and may do something else", async () => {
  const pay = failing("pay", 9)
  const flow = workflow("pays", async (run) => {
    try {
      return await run.step("pay", pay, { retry: { retries: 2, base: 0 } })
    } catch (error) {
      calls.push((error as Error).message)
      return run.step("refund", failing("refund", 0))
    }
  })
  expect(await runOf(flow)).toMatchObject({ status: "COMPLETED", variables: { result: "refund" } })
  expect(calls).toEqual(["pay 1", "pay 2", "pay 3", "pay: pay is broken", "refund 1"])
})

test("the rule of the workflow holds for its calls and for the code between them", async () => {
  let isFirst = true
  const work = failing("work", 1)
  const flow = workflow("all-of-it", { retry: { retries: 5, base: 0 } }, async (run: Run) => {
    await run.step("work", work)
    if (isFirst) {
      isFirst = false
      throw new Error("between")
    }
    return run.step("end", failing("end", 0))
  })
  expect(await runOf(flow)).toMatchObject({ status: "COMPLETED" })
  expect(calls).toEqual(["work 1", "work 2", "end 1"])
})

test("A-27: a marked error is tried again before the function can catch it, and what forbids it never is", async () => {
  const marked = failing("marked", 1, () => new RetryableError("later", { baseDelay: 0 }))
  const final = failing("final", 9, () => new NonRetryableError("no use"))
  const flow = workflow("marked-function", { retry: { base: 0 } }, async (run: Run) => {
    await run.step("marked", marked).catch(() => calls.push("caught"))
    await run.step("final", final)
  })
  expect(await runOf(flow)).toMatchObject({ status: "FAILED", failureReason: "final: no use" })
  expect(calls).toEqual(["marked 1", "marked 2", "final 1"])
})

test("branches: what is done beside a call that is tried again is done once", async () => {
  const mail = failing("mail", 1)
  const stock = failing("stock", 0)
  const flow = workflow("branches-again", async (run) =>
    run.all({
      mail: () => run.step("mail", mail, { retry: { retries: 1, base: 0 } }),
      stock: () => run.step("stock", stock),
    }),
  )
  expect(await runOf(flow)).toMatchObject({ variables: { result: { mail: "mail", stock: "stock" } } })
  expect(calls.sort()).toEqual(["mail 1", "mail 2", "stock 1"])
})

test("a failure that the function has gone on after is final, also for a worker that finds it on record", async () => {
  const pay = failing("pay", 9)
  const flow = workflow("gone-on", { retry: { retries: 1, base: 0 } }, async (run: Run) => {
    const failure = await run.step("pay", pay, { retry: { retries: 0 } }).catch((error: Error) => error)
    await run.step("tell", failing("tell", 0))
    throw failure
  })
  const { id } = await mill.start(flow, {})
  const workers = mills.dying((place, name) => place === "recorded" && name === "tell")
  await workers.drain([flow], {})
  await workers.stop()
  await mills.endLeases()
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "pay: pay is broken" })
  expect(calls).toEqual(["pay 1", "tell 1"])
})
