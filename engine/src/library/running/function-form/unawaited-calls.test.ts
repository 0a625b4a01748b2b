// A function that forgets to await a call: its run fails and says which, and neither the process nor another run is the worse for it.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { workflow } from "../../../index.ts"
import { type Mills, openMills } from "../../../test-support/mills.ts"
import type { AnyWorkflow } from "../../authoring/workflow.ts"
import type { RunRecord } from "../../handles/run-handle.ts"
import type { Mill } from "../mill.ts"

let mills: Mills
let mill: Mill
let calls: string[]
/** What would have ended the process. */
let unhandled: unknown[]
const note = (reason: unknown) => void unhandled.push(reason)
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())
beforeEach(() => {
  calls = []
  unhandled = []
  process.on("unhandledRejection", note)
})
afterEach(() => {
  process.off("unhandledRejection", note)
  expect(unhandled).toEqual([])
})

const elsewhere = () => new Promise((resolve) => setImmediate(resolve))
/** Over the sleeps of a run, to its end. */
async function toEnd(flow: AnyWorkflow, id: string): Promise<RunRecord> {
  await mills.advanceClock(3_700_000)
  const worker = await mill.work([flow])
  const ended = await mill.runs.handle(id).ended()
  await worker.stop()
  return ended
}
const fails = (name: string) => () => {
  calls.push(name)
  throw new Error("lost")
}

test("a step that fails: the run goes to its end, fails and names the step; another run is done", async () => {
  const flow = workflow("forgets", async (run) => {
    void run.step("a", fails("a"))
    await run.sleep("s", "1h")
    calls.push("slept")
    return { x: 1 }
  })
  const innocent = workflow("innocent", async (run) => run.step("b", () => "done"))
  const [guilty, other] = [await mill.start(flow, {}), await mill.start(innocent, {})]
  await mill.drain([flow, innocent], { concurrency: 2 })
  expect(await other.status()).toBe("COMPLETED")
  // On record where the function has gone on to wait: it is not called again when the sleep is over.
  expect(await guilty.steps()).toMatchObject([{ stepId: "a", status: "FAILED" }, { stepId: "s" }])
  expect(await toEnd(flow, guilty.id)).toMatchObject({
    status: "FAILED",
    failureReason: 'run.step("a") was not awaited: write `await run.step("a"…)`; it failed: lost',
  })
  expect(calls).toEqual(["a", "slept"])
})

test("a step that succeeds is on record, and the run fails all the same: what follows did not wait for it", async () => {
  const flow = workflow("forgets-success", async (run) => {
    void run.step("a", async () => {
      await elsewhere()
      calls.push("a")
    })
    return { x: 1 }
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(calls).toEqual(["a"])
  expect(await mill.runs.handle(id).steps()).toMatchObject([{ stepId: "a", status: "COMPLETED" }])
  expect((await mill.runs.get(id)).failureReason).toBe('run.step("a") was not awaited: write `await run.step("a"…)`')
})

test("waits, children and branches are told of too, however many there are", async () => {
  const child = workflow("of-nobody", async () => {})
  const flow = workflow("forgets-all", async (run, { which }: { which: string }) => {
    const forgotten: Record<string, () => unknown> = {
      sleep: () => run.sleep("s", "1h"),
      signal: () => run.signal("go"),
      userTask: () => run.userTask("approve"),
      child: () => run.child(child, {}),
      all: () => run.all({ a: () => run.step("a", fails("a")) }),
      two: () => [run.sleep("s", "1h"), run.step("a", () => {})],
    }
    void forgotten[which]?.()
    await run.step("last", elsewhere)
  })
  const reasons: (string | undefined)[] = []
  for (const which of ["sleep", "signal", "userTask", "child", "all", "two"]) {
    const { id } = await mill.start(flow, { which })
    await mill.drain([flow])
    reasons.push((await mill.runs.get(id)).failureReason)
  }
  expect(reasons).toEqual([
    expect.stringMatching(/^run.sleep\("s"\) was not awaited: write `await run.sleep\("s"…\)`$/),
    expect.stringMatching(/^run.signal\("go"\) was not awaited/),
    expect.stringMatching(/^run.userTask\("approve"\) was not awaited/),
    expect.stringMatching(/^run.child\(of-nobody\) was not awaited/),
    expect.stringMatching(/^run.all\(\) was not awaited: .*; it failed: lost$/),
    expect.stringMatching(/^run.sleep\("s"\) was not awaited, and 1 more: /),
  ])
})

test("one that is awaited later, caught, or a part of something that is awaited is no forgotten one", async () => {
  const flow = workflow("late-awaits", async (run) => {
    const late = run.step("late", fails("late"))
    run.step("caught", fails("caught")).catch(() => {})
    await run.sleep("s", "1h")
    const settled = await Promise.allSettled([late, run.step("a", () => 1)])
    return [settled.map(({ status }) => status), await Promise.race([run.step("b", () => 2), run.signal("never")])]
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  await toEnd(flow, id)
  expect(await mill.runs.handle(id).result()).toEqual([["rejected", "fulfilled"], 2])
  expect(calls).toEqual(["late", "caught"])
})

test("the run that failed so goes on with better code, and does the step again", async () => {
  const code = (isBetter: boolean) =>
    workflow("mended", async (run) => {
      const step = run.step("a", isBetter ? () => "done" : fails("a"))
      if (isBetter) return step
      await run.sleep("s", "1h")
      return undefined
    })
  const { id } = await mill.start(code(false), {})
  await mill.drain([code(false)])
  expect(await toEnd(code(false), id)).toMatchObject({ status: "FAILED" })
  await mill.runs.handle(id).retry()
  await mill.drain([code(true)])
  expect(await mill.runs.handle(id).result()).toBe("done")
})

test("the undos of a run are found though its function forgets a step that failed", async () => {
  const flow = workflow("forgets-undo", async (run) => {
    await run.step("paid", () => "p", { undo: ({ result }) => void calls.push(`undo ${result}`) })
    void run.step("a", fails("a"))
    await run.sleep("s", "1h")
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await toEnd(flow, id)).toMatchObject({ status: "FAILED" })
  await mill.drain([flow])
  expect(calls).toEqual(["a", "undo p"])
})
