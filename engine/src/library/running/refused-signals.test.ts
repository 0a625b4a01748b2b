// What a run cannot use is refused at the door where its validator has a JSON form, and else by the run, which waits on.
import * as v from "valibot"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { userTask, waitForSignal, workflow } from "../../index.ts"
import { listVersionsOf } from "../../operations/runs/list-versions.ts"
import { eventually, type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

const resume = { recover: "resume" } as const
/** Has a JSON form. */
const Approval = z.object({ by: z.string() })
/** Has none. */
const Silent = v.object({ by: v.string() })

type Rolled = ReturnType<typeof workflow>

const five = (value: string) => ({ a: value, b: value, c: value, d: value, e: value })

describe("at the door", () => {
  test("a signal that does not fit is refused with its violations, and one that fits is taken", async () => {
    const flow = workflow("door-signal", { ...resume, steps: [waitForSignal("approved", { schema: Approval })] })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    await expect(mill.runs.handle(id).signal("approved", { by: 7 })).rejects.toMatchObject({
      code: "bad-request",
      message: "what approved was told does not fit its schema: $.by: must be string, not a number",
      details: [{ path: "$.by", message: "must be string, not a number" }],
    })
    await mill.runs.handle(id).signal("approved", { by: "ada" })
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { approved: { by: "ada" } } })
  })

  test("so is what a user task is completed with, and the task stays open", async () => {
    const flow = workflow("door-task", { ...resume, steps: [userTask({ name: "review", schema: Approval })] })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    await expect(mill.runs.handle(id).completeUserTask("review", {})).rejects.toMatchObject({
      message: "what review was told does not fit its schema: $.variables.by: is required",
      details: [{ path: "$.variables.by", message: "is required" }],
    })
    await mill.runs.handle(id).completeUserTask("review", { by: "ada" })
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  })

  test("so is a start by the name of a workflow, with a key and without", async () => {
    const flow = workflow("door-start", {
      input: Approval,
      steps: [() => {}].map((fn) => Object.defineProperty(fn, "name", { value: "a" })),
    })
    await mill.start(flow, { by: "ada" })
    for (const options of [{}, { key: "k" }])
      await expect(mill.start("door-start", { by: 7 }, options)).rejects.toMatchObject({
        code: "bad-request",
        message: expect.stringMatching(
          /^the variables do not fit the input schema of door-start: \$\.variables\.by: must be /,
        ),
        details: [{ path: "$.variables.by" }],
      })
  })

  test("of many violations the message names the first, and says how many more there are", async () => {
    const Many = z.object({ a: z.string(), b: z.string(), c: z.string(), d: z.string(), e: z.string() })
    await mill.start(workflow("door-many", { input: Many, steps: [function a() {}] }), five("x"))
    const refused = await mill.start("door-many", {}).catch((error: unknown) => error)
    const required = (name: string) => `$.variables.${name}: is required`
    expect(refused).toMatchObject({
      message: `the variables do not fit the input schema of door-many: ${["a", "b", "c"].map(required).join("; ")}; and 2 more`,
      details: { length: 5 },
    })
    expect((refused as Error).stack).toContain("and 2 more")
  })

  test("A-04: intake takes everything, and the run fails by it for good", async () => {
    const flow = workflow("door-intake", { input: Approval, retry: { base: 0 }, steps: [function a() {}] })
    await mill.intake(flow, { by: 7 }, { key: "k-1" })
    await mill.drain([flow])
    const [row] = await mills.tables.script("select instance_id from millrace.intake_keys where key = 'k-1'")
    expect(await mill.runs.get(row?.instance_id as string)).toMatchObject({
      status: "FAILED",
      failureReason: expect.stringContaining("$.by"),
    })
  })

  test("A-32: a run that was started by an older list is told by what the newest says", async () => {
    const listOf = (schema: z.ZodType) =>
      workflow("door-newer", { ...resume, steps: [waitForSignal("go", { schema })] })
    const { id } = await mill.start(listOf(z.object({ by: z.string() })), {})
    const newer = listOf(z.object({ by: z.number() }))
    await mill.drain([newer])
    await mill.runs.handle(id).signal("go", { by: 7 })
    await mill.drain([newer])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { go: { by: 7 } } })
  })

  test("A-32: after a rollback a run is told by what its own list says, which the newest does not know", async () => {
    const flows = (name: string) =>
      ["go", "went"].map((signal) => workflow(name, { ...resume, steps: [waitForSignal(signal)] }))
    const [old, newer] = flows("door-rollback") as [Rolled, Rolled]
    await mill.drain([old])
    await mill.drain([newer])
    const parked = await mill.start(old, {})
    await mill.drain([old])
    const isWorked = () => listVersionsOf(mills.kernel).isWorked("door-rollback", 1)
    await eventually(isWorked).toBe(false)
    await parked.signal("go", { by: "ada" })
    await mill.drain([old])
    expect(await parked.result()).toEqual({ go: { by: "ada" } })

    const early = await mill.start(old, {})
    await expect(early.signal("go")).rejects.toMatchObject({ message: expect.stringContaining("it waits for went") })
    listVersionsOf(mills.kernel).work("door-rollback", 1)
    await eventually(isWorked).toBe(true)
    await early.signal("go", { by: "eve" })
    await mill.drain([old])
    expect(await early.result()).toEqual({ go: { by: "eve" } })
  })

  test("what the validator would turn into something that fits is let through", async () => {
    const Lenient = z.object({
      count: z.coerce.number(),
      code: z.string().trim().max(3),
      at: z.coerce.date(),
      mode: z.enum(["a", "b"]).catch("a"),
      note: z.string().default("none"),
    })
    const flow = workflow("door-lenient", { ...resume, steps: [waitForSignal("go", { schema: Lenient })] })
    const { id } = await mill.start(flow, {})
    await mill.runs.handle(id).signal("go", { count: "5", code: "  abc  ", at: "2025-03-01", mode: "z" })
    await mill.drain([flow])
    expect((await mill.runs.get(id)).variables).toMatchObject({
      go: { count: 5, code: "abc", mode: "a", note: "none" },
    })
  })
})

describe("by the run, where the door cannot know", () => {
  test("a list refuses it, says so, waits on, and takes the next that fits", async () => {
    const flow = workflow("run-refuses", { ...resume, steps: [waitForSignal("approved", { schema: Silent })] })
    const { id } = await mill.start(flow, {})
    await mill.runs.handle(id).signal("approved", { by: 7 })
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
    const [why] = await mill.runs.handle(id).waiting()
    expect(why?.detail).toMatchObject({
      signals: ["approved"],
      refused: expect.stringMatching(/^refused, because it does not fit its schema: \$\.by: /),
      message: expect.stringContaining("Waits for the signal approved. What came last was refused"),
    })
    await mill.runs.handle(id).signal("approved", { by: 8 })
    await mill.runs.handle(id).signal("approved", { by: "ada" })
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { approved: { by: "ada" } } })
  })

  test("the time of the wait goes on: what was refused does not prolong it", async () => {
    const flow = workflow("run-refuses-in-time", {
      ...resume,
      steps: [waitForSignal("go", { schema: Silent, within: "1h" })],
    })
    const { id } = await mill.start(flow, {})
    const worker = await mill.work([flow])
    await eventually(() => mill.runs.get(id)).toMatchObject({ status: "WAITING" })
    await mills.advanceClock(3_000_000)
    await mill.runs.handle(id).signal("go", {})
    await eventually(async () => (await mill.runs.handle(id).waiting())[0]?.detail).toHaveProperty("refused")
    await mills.advanceClock(700_000)
    expect(await mill.runs.handle(id).ended()).toMatchObject({
      status: "FAILED",
      failureReason: "go: was not answered within 1h",
    })
    await worker.stop()
  })

  test("a task whose result is refused is opened again", async () => {
    const flow = workflow("run-refuses-task", { ...resume, steps: [userTask({ name: "review", schema: Silent })] })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    await mill.runs.handle(id).completeUserTask("review", { by: 7 })
    await mill.drain([flow])
    const tasks = await mills.tables.script(
      `select status from millrace.user_tasks where instance_id = '${id}' order by execution`,
    )
    expect(tasks).toEqual([{ status: "COMPLETED" }, { status: "OPEN" }])
    await mill.runs.handle(id).completeUserTask("review", { by: "ada" })
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { review: { by: "ada" } } })
  })

  test("a function refuses it alike, and so does a worker that takes over from one that died with it in hand", async () => {
    const flow = workflow("function-refuses", async (run) => run.signal("go", { schema: Approval }))
    const { id } = await mill.start(flow, {})
    await mill.runs.handle(id).signal("go", { by: 7 })
    const workers = mills.dying((place, name) => place === "recorded" && name === "go")
    await workers.drain([flow], {})
    await workers.stop()
    await mills.endLeases()
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
    await mill.runs.handle(id).signal("go", { by: "ada" })
    await mill.drain([flow])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { result: { by: "ada" } } })
  })
})
