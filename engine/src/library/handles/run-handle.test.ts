// A run in the hand of the program that started it: its result, how it stands, and what can be done to it.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import {
  bestEffort,
  EngineError,
  RetryableError,
  RunFailedError,
  type Step,
  step,
  userTask,
  waitForSignal,
  workflow,
} from "../../index.ts"
import { workflow as definition, end, step as graphStep, service } from "../../test-support/definitions.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "../running/mill.ts"

const NOWHERE = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await mill.definitions.upload(definition("graph", [service("graph-job", "end"), end()]))
  await mill.definitions.upload(definition("asks", [graphStep("USER_TASK", "review", { nextStep: "end" }), end()]))
})
afterAll(() => mills.close())

function double({ input }: Step<{ n: number }>) {
  return { doubled: 2 * input.n }
}
const list = workflow("doubles", { steps: [double] })
const approval = waitForSignal("approved", { schema: z.object({ by: z.string() }) })
const review = userTask({ name: "review", schema: z.object({ fine: z.boolean() }) })
const approved = workflow("approvals", { recover: "resume", steps: [approval, review] })

describe("its result", () => {
  test("of a list is the context that its steps have built up, without the input", async () => {
    const run = await mill.start(list, { n: 4 })
    await mill.drain([list])
    expect(await run.result()).toEqual({ doubled: 8 })
  })

  test("of a list whose steps return nothing is an empty object", async () => {
    const silent = workflow("silent", { steps: [function nothing() {}] })
    const run = await mill.start(silent, {})
    await mill.drain([silent])
    expect(await run.result()).toEqual({})
  })

  test("of a function is what it returned", async () => {
    const triples = workflow("triples", async (_, { n }: { n: number }) => 3 * n)
    const run = await mill.start(triples, { n: 4 })
    await mill.drain([triples])
    expect(await run.result()).toBe(12)
  })

  test("of a definition is what its variables are in the end", async () => {
    const run = await mill.start("graph", { n: 4 })
    await mill.drain({ handlers: { "graph-job": () => ({ seen: true }) } })
    expect(await run.result()).toEqual({ n: 4, seen: true })
  })

  test("is that of the attempt which succeeded, after a retry by hand", async () => {
    let isBroken = true
    const mended = workflow("mended", {
      steps: [
        bestEffort(function note() {
          return { noted: isBroken }
        }),
        function work() {
          if (isBroken) throw new Error("no stamps")
          return { sent: true }
        },
      ],
    })
    const run = await mill.start(mended, {})
    await mill.drain([mended])
    await expect(run.result()).rejects.toBeInstanceOf(RunFailedError)
    isBroken = false
    await run.retry()
    await mill.drain([mended])
    expect(await run.result()).toEqual({ noted: false, sent: true })
  })

  test("is that of other input, where a failed run is retried with it", async () => {
    const seen: unknown[] = []
    const Order = z.object({ card: z.string(), cents: z.number() })
    const pays = workflow("pays", {
      input: Order,
      recover: "resume",
      steps: [
        step("look", ({ input }: Step<z.infer<typeof Order>>) => void seen.push(input)),
        step("pay", ({ input }: Step<z.infer<typeof Order>>) => {
          if (input.card === "expired") throw new Error("the card has expired")
          return { paid: input.cents }
        }),
      ],
    })
    const run = await mill.start(pays, { card: "expired", cents: 7 })
    await mill.drain([pays])
    await expect(run.retry({ input: { card: 7 } })).rejects.toMatchObject({
      code: "bad-request",
      details: [{ path: "$.variables.card" }],
    })
    await expect(run.retry({ input: [] })).rejects.toMatchObject({ code: "bad-request" })
    expect(await run.status()).toBe("FAILED")
    await run.retry({ input: { card: "new" } })
    await mill.drain([pays])
    expect(await run.result()).toEqual({ paid: 7 })
    expect(seen).toEqual([{ card: "expired", cents: 7 }])
    const audit = await mills.tables.script(
      `select detail->'variables' as given from millrace.trail where instance_id = '${run.id}' and kind = 'STEP_RETRIED'`,
    )
    expect(audit).toEqual([{ given: '{"card":"new"}' }])
  })

  test("is waited for, also when the run ends in another process", async () => {
    const { mill: elsewhere } = await mills.another()
    const run = await mill.start(list, { n: 5 })
    const result = run.result()
    await elsewhere.drain([list])
    expect(await result).toEqual({ doubled: 10 })
  })

  test("is not waited for longer than it is told to, and the run goes on", async () => {
    const run = await mill.start(list, { n: 6 })
    const error = await run.result({ timeoutMs: 5 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("still ACTIVE") })
    await mill.drain([list])
    expect(await run.status()).toBe("COMPLETED")
    await expect(run.result({ timeoutMs: Number.NaN })).rejects.toMatchObject({ code: "bad-request" })
  })

  test("is an error with the reason where the run has failed, or was cancelled", async () => {
    const failing = workflow("failing", {
      steps: [
        function charge() {
          throw new Error("declined")
        },
      ],
    })
    const [failed, cancelled] = [await mill.start(failing, {}), await mill.start(approved, {})]
    await mill.drain([failing])
    await cancelled.cancel({ reason: "changed their mind" })
    const [first, second] = await Promise.all([failed, cancelled].map((run) => run.result().catch((e: unknown) => e)))
    expect(first).toBeInstanceOf(RunFailedError)
    expect(first).toMatchObject({ runId: failed.id, status: "FAILED", reason: "charge: declined" })
    expect((first as Error).message).toBe(`run ${failed.id} has failed: charge: declined`)
    expect(second).toMatchObject({ status: "CANCELLED", reason: "changed their mind" })
    expect(await failed.ended()).toMatchObject({ status: "FAILED", failureReason: "charge: declined" })
  })
})

describe("what can be done to it", () => {
  test("signals and user tasks are answered by the element that waits for them, or by its name", async () => {
    const run = await mill.start(approved, {})
    await run.signal(approval, { by: "ada" })
    await mill.drain([approved])
    await run.completeUserTask("review", { fine: true }, { completedBy: "grace" })
    await mill.drain([approved])
    expect(await run.result()).toEqual({ approved: { by: "ada" }, review: { fine: true } })
  })

  test("what does not fit the schema of its wait is refused at the call, by element and by name, and the run waits on", async () => {
    const run = await mill.start(approved, {})
    await mill.drain([approved])
    const wrong = { by: 7 } as unknown as { by: string }
    for (const refused of [run.signal(approval, wrong), run.signal("approved", wrong)])
      await expect(refused).rejects.toMatchObject({ code: "bad-request", details: [{ path: "$.by" }] })
    const task = { fine: "yes" } as unknown as { fine: boolean }
    await expect(run.completeUserTask(review, task)).rejects.toMatchObject({ details: [{ path: "$.fine" }] })
    expect(await run.status()).toBe("WAITING")
    await run.cancel()
  })

  test("a user task of a definition is completed by its name", async () => {
    const run = await mill.start("asks")
    await run.completeUserTask("review", { fine: true })
    expect(await run.result()).toEqual({ fine: true })
  })

  test("S4: what has ended well is neither cancelled nor retried", async () => {
    const run = await mill.start(list, { n: 1 })
    await mill.drain([list])
    await expect(run.cancel()).rejects.toMatchObject({ code: "conflict" })
    await expect(run.retry()).rejects.toMatchObject({ code: "conflict" })
    expect(await run.result()).toEqual({ doubled: 2 })
  })

  test("its steps are told, and why it does not move", async () => {
    const later = workflow("later", {
      recover: "resume",
      steps: [
        function first() {},
        function second() {
          throw new RetryableError("busy", { baseDelay: "PT1H" })
        },
      ],
    })
    const run = await mill.start(later, {})
    await mill.drain([later])
    expect((await run.steps()).map(({ stepId, status }) => [stepId, status])).toContainEqual(["first", "COMPLETED"])
    expect(await run.waiting()).toMatchObject([{ detail: { message: expect.stringContaining("busy") } }])
    await run.cancel()
  })
})

describe("a handle for an id", () => {
  test("reads nothing by itself; what is not there is not-found at the first call", async () => {
    const run = mill.runs.handle(NOWHERE)
    for (const verb of ["result", "ended", "status", "steps", "waiting", "cancel", "retry"] as const)
      await expect(run[verb]()).rejects.toMatchObject({ code: "not-found" })
    await expect(run.signal("approved")).rejects.toMatchObject({ code: "not-found" })
    await expect(run.completeUserTask("review")).rejects.toMatchObject({ code: "not-found" })
    await expect(mill.runs.get(NOWHERE)).rejects.toMatchObject({ code: "not-found" })
    expect(() => mill.runs.handle("")).toThrow("the run's id")
    expect(() => mill.runs.handle(approved, undefined as unknown as string)).toThrow("the run's id")
  })

  test("with its workflow it judges by the schemas of its waits, and is typed by it", async () => {
    const { id } = await mill.start(approved, {})
    const run = mill.runs.handle(approved, id)
    const wrong = {} as unknown as { by: string }
    await expect(run.signal("approved", wrong)).rejects.toMatchObject({ details: [{ path: "$.by" }] })
    await run.cancel()
  })

  test("is its id in JSON: it may be handed on as a value", async () => {
    const run = await mill.start(list, { n: 1 })
    expect(JSON.parse(JSON.stringify(run))).toEqual({ id: run.id })
    await mill.drain([list])
  })
})
