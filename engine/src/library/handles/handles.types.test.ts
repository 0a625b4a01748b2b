// What the compiler knows of handles: results without a type argument, and signals by the wait that they answer.
import { expectTypeOf, test } from "vitest"
import { z } from "zod"
import type { JsonObject } from "../../support/json.ts"
import { userTask, waitForSignal } from "../authoring/elements.ts"
import type { job as authorJob, JobCall } from "../authoring/job.ts"
import type { Step } from "../authoring/step-types.ts"
import type { workflow as author } from "../authoring/workflow.ts"
import type { Mill } from "../running/mill.ts"
import type { RunHandle } from "./run-handle.ts"

// What is refused at run time is proved elsewhere: here nothing is called.
const workflow = (() => undefined) as unknown as typeof author
const job = (() => undefined) as unknown as typeof authorJob
declare const mill: Mill

const charge = (_: Step<{ amount: number }>) => ({ receipt: "r-1", at: new Date() })
const approval = waitForSignal("approved", { as: "approval", schema: z.object({ by: z.string().default("ada") }) })
const anything = waitForSignal("anything")
const review = userTask({
  name: "review",
  schema: z.object({ fine: z.boolean() }),
  within: "3d",
  onTimeout: "continue",
})
const checkout = workflow("checkout", { recover: "resume", steps: [charge, approval, anything, review] })
const plain = workflow("plain", { steps: [charge] })
const free = workflow("free", async (_, input: { n: number }) => ({ n: input.n, at: new Date() }))

test("the result needs no type argument, and is what is stored of it", () => {
  const never = async () => {
    const list = await (await mill.start(checkout, { amount: 1 })).result()
    expectTypeOf(list.receipt).toEqualTypeOf<string>()
    expectTypeOf(list.at).toEqualTypeOf<string>()
    expectTypeOf(list.approval).toEqualTypeOf<{ by: string }>()
    expectTypeOf(list.review).toEqualTypeOf<{ fine: boolean } | undefined>()
    const returned = await (await mill.start(free, { n: 1 })).result()
    expectTypeOf(returned).toEqualTypeOf<{ n: number; at: string }>()
    expectTypeOf(await (await mill.start("by-id")).result()).toEqualTypeOf<JsonObject>()
    const halved = job("half", ({ payload }: JobCall<{ n: number }>) => ({ half: payload.n / 2 }))
    expectTypeOf(await (await mill.enqueue(halved, { n: 1 })).result()).toEqualTypeOf<{ half: number }>()
    expectTypeOf(await (await mill.enqueue("by-name", {})).result()).toEqualTypeOf<JsonObject | undefined>()
    expectTypeOf(mill.runs.handle(checkout, "id").result()).resolves.toHaveProperty("receipt")
    expectTypeOf(mill.runs.handle("id")).toEqualTypeOf<RunHandle>()
  }
  expectTypeOf(never).toBeFunction()
})

test("a signal is typed by the wait that it answers, given as the element or by its name", () => {
  const never = async () => {
    const run = await mill.start(checkout, { amount: 1 })
    await run.signal(approval, { by: "ada" })
    // What goes in, not what comes out: the default fills it.
    await run.signal(approval, {})
    await run.signal("approved", { by: "ada" }, { tx: {} as never })
    await run.signal("anything")
    await run.signal(anything, { any: "thing" })
    // @ts-expect-error: a number is no name.
    await run.signal(approval, { by: 1 })
    // @ts-expect-error: a number is no name, by name neither.
    await run.signal("approved", { by: 1 })
    // @ts-expect-error: it has a schema, so there is a payload.
    await run.signal("approved")
    // @ts-expect-error: the name of the wait is not that of the signal.
    await run.signal("approval", { by: "ada" })
    // @ts-expect-error: nothing in the list waits for it.
    await run.signal("paid")
    // @ts-expect-error: a user task is completed.
    await run.signal(review, { fine: true })
  }
  expectTypeOf(never).toBeFunction()
})

test("a user task likewise", () => {
  const never = async () => {
    const run = await mill.start(checkout, { amount: 1 })
    await run.completeUserTask(review, { fine: true }, { completedBy: "ada" })
    await run.completeUserTask("review", { fine: true })
    // @ts-expect-error: a text is no boolean.
    await run.completeUserTask("review", { fine: "yes" })
    // @ts-expect-error: a signal is sent.
    await run.completeUserTask("approved", { by: "ada" })
  }
  expectTypeOf(never).toBeFunction()
})

test("where the waits are not known any name goes; where there are none, none", () => {
  const never = async () => {
    await (await mill.start(free, { n: 1 })).signal("paid", { by: "card" })
    await (await mill.start("by-id")).signal("paid")
    await mill.runs.handle("id").signal(approval, { by: "ada" })
    // @ts-expect-error: the list does not wait.
    await (await mill.start(plain, { amount: 1 })).signal("paid")
  }
  expectTypeOf(never).toBeFunction()
})
