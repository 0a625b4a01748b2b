// Two builds side by side, and workers that do not know yet that they have lost: neither undoes what the other has done.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Step, step, type TxStep, waitForSignal, workflow } from "../../index.ts"
import { explainWaiting } from "../../operations/instances/explain-waiting.ts"
import { listVersionsOf } from "../../operations/runs/list-versions.ts"
import { startClock, stopClock } from "../../test-support/database-clock.ts"
import { eventually, type Gate, gate, type Mills, openMills } from "../../test-support/mills.ts"
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

const noted = (name: string) => step(name, () => void calls.push(name))
const oldList = (name: string) =>
  workflow(name, { recover: "resume", steps: [noted("a"), waitForSignal("go"), noted("old")] })
const newList = (name: string) =>
  workflow(name, { recover: "resume", steps: [noted("a"), noted("b"), waitForSignal("go"), noted("new")] })

/** Until every process knows what the others work on. */
const pulses = (name: string, version: number, worked = true) =>
  eventually(() => listVersionsOf(mills.kernel).isWorked(name, version)).toBe(worked)

describe("two builds", () => {
  test("F71, S24: the older leaves a run alone that the newer has recorded, says why, and takes it over when the newer is gone", async () => {
    const [old, current] = [oldList("side"), newList("side")]
    // Neither is the newer build taken for gone, nor is the run looked at again, because the machine is slow.
    await stopClock(mills.kernel)
    const { id } = await mill.start(old, {})
    const { mill: newer, core } = await mills.another()
    await newer.drain([current])
    expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
    // What is told is what came last: the clock of the newer build has run on a little.
    await mills.advanceClock(60_000)
    // The newer build is alive, and busy elsewhere.
    listVersionsOf(core.kernel).work("side", 2)
    await pulses("side", 2)
    await mill.runs.handle(id).signal("go")
    await mill.drain([old])
    expect(calls).toEqual(["a", "b"])
    const [why] = await explainWaiting(mills.kernel, id)
    expect(why?.detail.message).toMatch("a newer version of the list has this run")
    listVersionsOf(core.kernel).rest("side", 2)
    await pulses("side", 2, false)
    await mills.advanceClock(6_000)
    const last = await mill.work([old])
    await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["a", "b", "old"])
    await last.stop()
    await startClock(mills.kernel)
  })

  test("the newer takes at once what the older has recorded", async () => {
    const [old, current] = [oldList("over"), newList("over")]
    const { id } = await mill.start(old, {})
    await mill.drain([old])
    await mill.runs.handle(id).signal("go")
    await (await mills.another()).mill.drain([current])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(calls).toEqual(["a", "b", "new"])
    const steps = await mill.runs.handle(id).steps()
    expect(steps.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual(
      ["a", "b", "go", "new"].map((name) => `${name} COMPLETED`),
    )
  })
})

describe("a worker that has lost its run, and finds out late", () => {
  /** Its lease ends while a step of its first attempt is under way; another process finishes; then it goes on. */
  async function overtaken(flow: Parameters<Mill["start"]>[0], inside: Gate, goOn: Gate) {
    const { id } = await mill.start(flow, {})
    const zombie = mill.drain([flow])
    await inside.passed
    await mills.endLeases()
    const other = (await mills.another()).mill
    await other.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
    const row = await mills.row(id)
    goOn.open()
    await zombie
    expect(await mills.row(id)).toEqual(row)
    return id
  }

  test("resume: it records nothing, commits nothing and completes nothing", async () => {
    const [inside, goOn] = [gate(), gate()]
    const flow = workflow("zombie-resume", {
      recover: "resume",
      steps: [
        async function write({ tx, attempt }: TxStep) {
          await tx.query("insert into public.written values ($1)", [`resume ${attempt}`])
          if (attempt > 1) return { by: "other" }
          inside.open()
          await goOn.passed
          return { by: "zombie" }
        },
        function after({ context }: Step<unknown, { by: string }>) {
          calls.push(`after ${context.by}`)
        },
      ],
    })
    const id = await overtaken(flow, inside, goOn)
    expect(calls).toEqual(["after other"])
    expect(await mills.tables.script("select note from public.written where note like 'resume%'")).toEqual([
      { note: "resume 2" },
    ])
    expect((await mill.runs.get(id)).variables).toEqual({ by: "other" })
  })

  test("restart: its outcome does not count, good or bad", async () => {
    for (const ending of ["good", "bad"]) {
      const [inside, goOn] = [gate(), gate()]
      const flow = workflow(`zombie-${ending}`, {
        steps: [
          async function work({ attempt }: Step) {
            if (attempt > 1) return { by: "other" }
            inside.open()
            await goOn.passed
            if (ending === "bad") throw new Error("too late")
            return { by: "zombie" }
          },
        ],
      })
      const id = await overtaken(flow, inside, goOn)
      expect((await mill.runs.get(id)).variables).toEqual({ by: "other" })
    }
  })

  test("function: it is told nothing, and does nothing more", async () => {
    const [inside, goOn] = [gate(), gate()]
    const flow = workflow("zombie-function", async (run) => {
      const by = await run.step("work", async ({ attempt }) => {
        if (attempt > 1) return "other"
        inside.open()
        await goOn.passed
        return "zombie"
      })
      await run.step("after", () => void calls.push(`after ${by}`))
      return by
    })
    const id = await overtaken(flow, inside, goOn)
    expect(calls).toEqual(["after other"])
    expect((await mill.runs.get(id)).variables).toEqual({ result: "other" })
  })

  test("while the other still has the run: what it records is not recorded, and it learns so before its next step", async () => {
    const gates = [gate(), gate(), gate(), gate()] as const
    const [inside, goOn, otherInside, otherGoOn] = gates
    const flow = workflow("zombie-early", {
      recover: "resume",
      steps: [
        async function work({ attempt }: Step) {
          const [here, further] = attempt === 1 ? [inside, goOn] : [otherInside, otherGoOn]
          here.open()
          await further.passed
          return { by: attempt }
        },
        function after({ context }: Step<unknown, { by: number }>) {
          calls.push(`after ${context.by}`)
        },
      ],
    })
    const { id } = await mill.start(flow, {})
    const zombie = mill.drain([flow])
    await inside.passed
    await mills.endLeases()
    const other = (await mills.another()).mill.drain([flow])
    await otherInside.passed
    goOn.open()
    await zombie
    expect(calls).toEqual([])
    expect(await mills.tables.script(`select * from millrace.run_steps where instance_id = '${id}'`)).toEqual([])
    otherGoOn.open()
    await other
    expect(calls).toEqual(["after 2"])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { by: 2 } })
  })

  test("its lease has ended, and nobody has taken the run yet: it records nothing more, and fails nothing", async () => {
    const [inside, goOn] = [gate(), gate()]
    const flow = workflow("zombie-alone", {
      recover: "resume",
      steps: [
        async function work({ attempt }: Step) {
          if (attempt > 1) return
          inside.open()
          await goOn.passed
        },
      ],
    })
    const { id } = await mill.start(flow, {})
    const zombie = mill.drain([flow])
    await inside.passed
    await mills.endLeases()
    goOn.open()
    await zombie
    // A heartbeat that fell between the end of the lease and its sweep has told the first drain that nothing is left for it.
    await mill.drain([flow])
    expect(await mills.tables.script(`select * from millrace.run_steps where instance_id = '${id}'`)).toHaveLength(1)
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  })
})
