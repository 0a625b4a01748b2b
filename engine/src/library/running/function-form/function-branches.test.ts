// Concurrent branches of a function: those that can go on do, whatever the others wait for, and none is lost when one fails.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { workflow } from "../../../index.ts"
import { completeUserTask } from "../../../operations/instances/change-instance.ts"
import { eventually, gate, type Mills, openMills } from "../../../test-support/mills.ts"
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

const noting = (name: string) => () => {
  calls.push(name)
  return name
}
const elsewhere = () => new Promise((resolve) => setTimeout(resolve, 30))

test("steps of branches run at the same time", async () => {
  const [a, b] = [gate(), gate()]
  const flow = workflow("together", async (run) =>
    run.all({
      a: () =>
        run.step("a", async () => {
          a.open()
          await b.passed
        }),
      b: () =>
        run.step("b", async () => {
          await a.passed
          b.open()
        }),
    }),
  )
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
})

test("a branch with code of its own between calls is not cut off by one that waits", async () => {
  const flow = workflow("own-code", async (run) =>
    run.all({
      waiting: () => run.signal("go"),
      busy: async () => {
        await elsewhere()
        await run.step("b1", noting("b1"))
        await elsewhere()
        await run.step("b2", noting("b2"))
      },
    }),
  )
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(calls).toEqual(["b1", "b2"])
  expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
  await mill.runs.handle(id).signal("go", { n: 1 })
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { result: { waiting: { n: 1 } } } })
  expect(calls).toEqual(["b1", "b2"])
})

test("after a crash a branch with code of its own is waited for: its calls are no renamed ones", async () => {
  const [behindY1, dead] = [gate(), gate()]
  const flow = workflow("own-code-again", async (run) =>
    run.all({
      x: async () => {
        await behindY1.passed
        await run.step("x1", noting("x1"))
      },
      y: async () => {
        await run.step("y1", noting("y1"))
        behindY1.open()
        await dead.passed
        await run.step("y2", noting("y2"))
      },
    }),
  )
  const { id } = await mill.start(flow, {})
  const workers = mills.dying((place, step) => place === "recorded" && step === "x1")
  await workers.drain([flow], {})
  await workers.stop()
  dead.open()
  await mills.endLeases()
  expect(calls).toEqual(["y1", "x1"])
  const quick = workflow("own-code-again", async (run) =>
    run.all({
      x: async () => {
        await elsewhere()
        await run.step("x1", noting("x1"))
      },
      y: async () => {
        await run.step("y1", noting("y1"))
        await run.step("y2", noting("y2"))
      },
    }),
  )
  await mill.drain([quick])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(calls).toEqual(["y1", "x1", "y2"])
})

describe("a branch that fails", () => {
  test("fails the run when the steps of the others are on record: they are not done again", async () => {
    let broken = true
    const failed = gate()
    const flow = workflow("one-fails", async (run) =>
      run.all({
        bad: () =>
          run.step("bad", () => {
            calls.push("bad")
            failed.open()
            if (broken) throw new Error("boom")
          }),
        slow: async () => {
          await run.step("slow", async () => {
            await failed.passed
            await elsewhere()
            calls.push("slow")
          })
          await run.step("never yet", noting("never yet"))
        },
      }),
    )
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "bad: boom" })
    expect(calls).toEqual(["bad", "slow"])
    broken = false
    await mill.runs.handle(id).retry()
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["bad", "slow", "bad", "never yet"])
  })

  test("while another waits for a person: the task is closed, and opened again by the retry alone", async () => {
    let broken = true
    const flow = workflow("fails-beside-task", async (run) =>
      run.all({
        person: () => run.userTask("approve", { group: "ops" }),
        machine: async () => {
          await run.signal("go")
          await run.step("work", () => {
            if (broken) throw new Error("boom")
          })
        },
      }),
    )
    const { id } = await mill.start(flow, {})
    const tasks = () =>
      mills.tables.script(
        `select status, assignee_group from millrace.user_tasks where instance_id = '${id}' order by execution`,
      )
    await mill.drain([flow])
    await mill.runs.handle(id).signal("go", {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED" })
    expect(await tasks()).toEqual([{ status: "CANCELLED", assignee_group: "ops" }])
    broken = false
    await mill.runs.handle(id).retry()
    await mill.drain([flow])
    expect(await tasks()).toEqual([
      { status: "CANCELLED", assignee_group: "ops" },
      { status: "OPEN", assignee_group: "ops" },
    ])
    await completeUserTask(mills.kernel, {
      instanceId: id,
      stepId: "approve",
      variables: { ok: 1 },
      completedBy: "x",
      actor: "x",
    })
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { result: { person: { ok: 1 } } } })
  })

  test("in a promise that nobody looks at: the process lives on, and its step is on record", async () => {
    const flow = workflow("unwatched", async (run) => {
      void run.step("late", async () => {
        await elsewhere()
        calls.push("late")
      })
      await run.step("now", () => {
        throw new Error("boom")
      })
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "now: boom" })
    expect(calls).toEqual(["late"])
    const rows = await mills.tables.script(`select name, status from millrace.run_steps where instance_id = '${id}'`)
    expect(rows).toEqual([{ name: "late", status: "COMPLETED" }])
  })
})

test("a signal and a time, whichever is first; the one that lost does not hold the run up", async () => {
  const flow = workflow("either", async (run) => {
    const first = await Promise.race([
      run.signal("go").then(() => "signal"),
      run.sleep("limit", "PT1H").then(() => "time"),
    ])
    await run.step("after", noting("after"))
    return first
  })
  const [told, timed] = [await mill.start(flow, {}), await mill.start(flow, {})]
  const worker = await mill.work([flow], { concurrency: 2 })
  await eventually(() => mill.runs.get(timed.id)).toMatchObject({ status: "WAITING" })
  await mill.runs.handle(told.id).signal("go", {})
  expect(await mill.runs.handle(told.id).ended()).toMatchObject({ variables: { result: "signal" } })
  await mills.advanceClock(3_700_000)
  await eventually(() => mill.runs.get(timed.id)).toMatchObject({
    status: "COMPLETED",
    variables: { result: "time" },
  })
  await worker.stop()
})

test("many waits at once: each signal wakes the run, and the last one ends it", async () => {
  const names = Array.from({ length: 20 }, (_, n) => `s${n}`)
  const flow = workflow("many-waits", async (run) =>
    run.all(Object.fromEntries(names.map((n) => [n, () => run.signal(n)]))),
  )
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "WAITING" })
  await Promise.all(names.map((name) => mill.runs.handle(id).signal(name, { name })))
  expect(await mill.runs.handle(id).ended()).toMatchObject({
    status: "COMPLETED",
    variables: { result: { s7: { name: "s7" } } },
  })
  await worker.stop()
})
