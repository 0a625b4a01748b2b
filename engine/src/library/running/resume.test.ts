// `recover: "resume"`: wherever a worker dies, the next one goes on behind what is recorded, with the list it has.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { bestEffort, type Step, sleep, step, type TxStep, userTask, waitForSignal, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
let calls: string[]
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await mills.tables.script("create table public.written (note text)")
})
afterAll(() => mills.close())
beforeEach(() => {
  calls = []
})

const noted = (name: string, result: object = {}) =>
  step(name, () => {
    calls.push(name)
    return result
  })

/** The worker dies right behind the record of a step, or before it can report. */
async function dieAt(flow: Parameters<Mill["start"]>[0], place: string, what: string): Promise<void> {
  const workers = mills.dying((where, name) => where === place && name === what)
  await workers.drain([flow], {})
  await workers.stop()
  await mills.endLeases()
}

describe("a worker that dies", () => {
  test.each(["a", "b", "c"])(
    "behind the record of %s: no recorded step runs again, and the context is whole",
    async (at) => {
      const flow = workflow(`dies-${at}`, {
        recover: "resume",
        steps: [
          noted("a", { a: 1 }),
          step("b", ({ context }: Step<unknown, { a?: number }>) => {
            calls.push("b")
            return { b: (context.a ?? 0) + 1 }
          }),
          noted("c", { c: 3 }),
        ],
      })
      const { id } = await mill.start(flow, {})
      await dieAt(flow, "recorded", at)
      expect(await mill.runs.get(id)).toMatchObject({ status: "ACTIVE" })
      await mill.drain([flow])
      expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { a: 1, b: 2, c: 3 } })
      expect(calls).toEqual(["a", "b", "c"])
    },
  )

  test("before it can tell the end: the next one only tells it", async () => {
    const flow = workflow("dies-late", { recover: "resume", steps: [noted("only", { a: 1 })] })
    const { id } = await mill.start(flow, {})
    await dieAt(flow, "reporting", "complete")
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { a: 1 } })
    expect(calls).toEqual(["only"])
  })

  test("in the middle of a step: that step alone runs again, under the same key, and what it wrote before is gone", async () => {
    const keys: string[] = []
    const flow = workflow("dies-inside", {
      recover: "resume",
      steps: [
        noted("before"),
        async function write({ tx, key, attempt }: TxStep) {
          keys.push(key)
          await tx.query("insert into public.written values ($1)", [`attempt ${attempt}`])
          if (attempt === 1) await mills.tables.script("update millrace.jobs set nonce = gen_random_uuid()")
        },
      ],
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    await mills.endLeases()
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["before"])
    expect(keys).toEqual([`${id}/write`, `${id}/write`])
    expect(await mills.tables.script("select * from public.written")).toEqual([{ note: "attempt 2" }])
  })

  test("behind a best-effort step that failed: it stays failed, and is not tried again", async () => {
    const flow = workflow("dies-forgiven", {
      recover: "resume",
      steps: [
        bestEffort(
          step("risky", () => {
            calls.push("risky")
            throw new Error("no")
          }),
        ),
        noted("after"),
      ],
    })
    const { id } = await mill.start(flow, {})
    await dieAt(flow, "recorded", "risky")
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["risky", "after"])
    expect((await mill.runs.failures({ workflow: flow, step: "risky" })).items).toMatchObject([
      { instanceId: id, error: "no" },
    ])
  })
})

test("A-39: a failed run that is retried goes on at the step that failed, with the context as it was", async () => {
  let broken = true
  const flow = workflow("mended", {
    recover: "resume",
    steps: [
      noted("one", { a: 1 }),
      step("two", ({ context }: Step<unknown, { a?: number }>) => {
        calls.push("two")
        if (broken) throw new Error("boom")
        return { b: context.a ?? 0 }
      }),
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "two: boom" })
  broken = false
  await mill.runs.handle(id).retry()
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { a: 1, b: 1 } })
  expect(calls).toEqual(["one", "two", "two"])
})

describe("a list that has changed in between", () => {
  const before = (name: string) =>
    workflow(name, {
      recover: "resume",
      steps: [noted("a", { a: 1 }), noted("b", { b: 1 }), waitForSignal("go"), noted("z")],
    })

  async function changed(name: string, steps: readonly unknown[]) {
    const old = before(name)
    const { id } = await mill.start(old, {})
    await mill.drain([old])
    expect(calls).toEqual(["a", "b"])
    await mill.runs.handle(id).signal("go", { n: 1 })
    const current = workflow(name, { recover: "resume", steps: steps as never })
    await mill.drain([current])
    return mill.runs.get(id)
  }

  test("a step that was added runs, wherever it stands; one that was removed leaves nothing in the context", async () => {
    const run = await changed("added", [
      noted("new"),
      noted("b", { b: 2 }),
      waitForSignal("go"),
      noted("z"),
      noted("end"),
    ])
    expect(run).toMatchObject({ status: "COMPLETED", variables: { b: 1, go: { n: 1 } } })
    expect(run.variables).not.toHaveProperty("a")
    expect(calls).toEqual(["a", "b", "new", "z", "end"])
  })

  test("steps that were reordered run no second time", async () => {
    const run = await changed("reordered", [
      noted("b", { b: 2 }),
      noted("z"),
      noted("a", { a: 2 }),
      waitForSignal("go"),
    ])
    expect(run).toMatchObject({ status: "COMPLETED", variables: { a: 1, b: 1, go: { n: 1 } } })
    expect(calls).toEqual(["a", "b", "z"])
  })

  test("a step with a new name is known by its old one; without it, it runs under the new", async () => {
    const renamed = step("A", () => void calls.push("A"), { was: ["a0", "a"] })
    const run = await changed("renamed", [renamed, noted("B"), waitForSignal("go")])
    expect(run).toMatchObject({ status: "COMPLETED", variables: { a: 1 } })
    expect(calls).toEqual(["a", "b", "B"])
  })

  test("a wait with a new signal is ended by the old one in a run that was parked for it, and by the new one in others", async () => {
    const steps = [noted("a"), waitForSignal("went", { was: "go" }), noted("z")] as const
    const run = await changed("renamed-signal", steps)
    expect(run).toMatchObject({ status: "COMPLETED", variables: { went: { n: 1 } } })
    const renamed = workflow("renamed-signal", { recover: "resume", steps })
    const later = await mill.start(renamed, {})
    await later.signal("went", { n: 2 })
    await mill.drain([renamed])
    expect(await later.result()).toEqual({ went: { n: 2 } })
  })

  test("waits that were begun under an old name are ended under the new: their time, their signal, their task", async () => {
    const limited = { within: "P1D", onTimeout: "continue" } as const
    const old = workflow("renamed-waits", {
      recover: "resume",
      steps: [userTask({ name: "check", ...limited }), sleep("PT1H", { name: "nap" })],
    })
    const { id } = await mill.start(old, {})
    await mill.drain([old])
    const current = workflow("renamed-waits", {
      recover: "resume",
      steps: [userTask({ name: "review", was: "check", ...limited }), sleep("PT1H", { name: "rest", was: "nap" })],
    })
    const tasks = () =>
      mills.tables.script(`select step_id, status from millrace.user_tasks where instance_id = '${id}'`)
    await mills.tables.script(
      `update millrace.jobs set status = 'ready', visible_at = null where instance_id = '${id}'`,
    )
    await mill.drain([current])
    expect(await tasks()).toEqual([{ step_id: "check", status: "OPEN" }])
    await mills.advanceClock(86_400_000)
    await mills.tables.script(
      `update millrace.jobs set status = 'ready', visible_at = null where instance_id = '${id}'`,
    )
    await mill.drain([current])
    // Not done in time: nobody waits for it any more.
    expect(await tasks()).toEqual([{ step_id: "check", status: "CANCELLED" }])
    expect((await mills.row(id)).status).toBe("PENDING")
    await mill.runs.handle(id).cancel()
  })
})
