// Definitions as JSON in the caller's own process: uploaded, started by id and worked by job type, judged at the door as over REST.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { millrace } from "../../millrace.ts"
import type { JsonObject } from "../../support/json.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { NonRetryableError } from "../authoring/retries/error-kind.ts"
import type { Mill } from "./mill.ts"

let mill: Mill
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase()
  drop = created.drop
  mill = await millrace({ database: created.dsn, logLevel: "silent" })
  await mill.definitions.upload(workflow("charge", [service("charge", "end"), end()]))
})
afterAll(async () => {
  await mill.stop()
  await drop()
})

/** Runs one instance with this handler. */
async function runWith(handler: () => unknown) {
  const worker = await mill.work({ handlers: { charge: handler as () => JsonObject } })
  const { id } = await mill.start("charge")
  const instance = await mill.runs.handle(id).ended()
  await worker.stop()
  return instance
}

describe("definitions through mill", () => {
  test("C-106, C-109: a handler's result is merged, a NonRetryableError fails the instance with its reason", async () => {
    expect(await runWith(() => ({ paid: true }))).toMatchObject({ status: "COMPLETED", variables: { paid: true } })
    const failed = await runWith(() => {
      throw new NonRetryableError("card stolen")
    })
    expect(failed).toMatchObject({ status: "FAILED", failureReason: "card stolen" })
  })

  test.each([
    ["a text", "paid"],
    ["a list", [1]],
    ["a NUL character", { note: "a\u0000b" }],
    ["half a surrogate pair", { note: "\ud800" }],
  ])("C-62: a handler that returns %s fails for good, with a reason", async (_, result) => {
    const instance = await runWith(() => result)
    expect(instance.status).toBe("FAILED")
    expect(instance.failureReason).toBeTruthy()
    expect(instance.variables).toEqual({})
  })

  test.each<[string, readonly unknown[]]>([
    ["a list as variables", ["charge", [1]]],
    ["a text as variables", ["charge", "x"]],
    ["a NUL character", ["charge", { a: "x\u0000y" }]],
    ["an integer that would be rounded", ["charge", { a: 2 ** 60 }]],
    ["an unknown priority", ["charge", {}, { priority: "huge" }]],
    ["an empty business key", ["charge", {}, { businessKey: "" }]],
    ["no definition", [undefined, {}]],
    ["an empty definition id", ["", {}]],
  ])("C-21: a start with %s is a bad request", async (_, given) => {
    const start = (...all: readonly unknown[]) => mill.start(...(all as [string, JsonObject]))
    await expect(start(...given)).rejects.toMatchObject({ code: "bad-request" })
  })

  test("C-21: an unknown definition is not found, and a start needs no variables", async () => {
    await expect(mill.start("nobody")).rejects.toMatchObject({ code: "not-found" })
    await expect(mill.intake("nobody", {}, { key: "k" })).rejects.toMatchObject({ code: "not-found" })
    const { id } = await mill.start("charge")
    await mill.runs.handle(id).cancel({ reason: "only a test" })
    expect(await mill.runs.get(id)).toMatchObject({ status: "CANCELLED", variables: {} })
  })

  test("C-21: the newest version is started unless one is named, with a key once, and taken in by its id", async () => {
    const document = (jobType: string) => workflow("versioned", [service(jobType, "end"), end()])
    expect(await mill.definitions.upload(document("one"))).toMatchObject({ id: "versioned", version: 1 })
    expect(await mill.definitions.upload(document("two"))).toMatchObject({ version: 2 })
    expect(await mill.definitions.upload(document("two"))).toMatchObject({ version: 2 })
    const old = await mill.start("versioned", { n: 1 }, { definitionVersion: 1, businessKey: "old" })
    expect(await mill.runs.get(old.id)).toMatchObject({
      definitionVersion: 1,
      businessKey: "old",
      currentStepIds: ["one"],
    })
    const first = await mill.start("versioned", { n: 2 }, { key: "k" })
    expect(await mill.start("versioned", { n: 2 }, { key: "k" })).toEqual(first)
    expect(await mill.runs.get(first.id)).toMatchObject({ definitionVersion: 2 })
    await mill.intake("versioned", { n: 2 }, { key: "k" })
    expect((await mill.drain({ handlers: { one: () => {}, two: () => {} } })).processed).toBe(2)
  })

  test("a run is told of a signal and of a person, and its history says what happened", async () => {
    const steps = [
      step("WAIT", "paid", { nextStep: "review" }),
      step("USER_TASK", "review", { nextStep: "end" }),
      end(),
    ]
    await mill.definitions.upload(workflow("asks", steps))
    const { id } = await mill.start("asks")
    await mill.runs.handle(id).signal("paid", { by: "card" })
    await mill.runs.handle(id).completeUserTask("review", { fine: true }, { completedBy: "ada" })
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { by: "card", fine: true } })
    const history = await mill.runs.handle(id).steps()
    expect(history.map(({ stepId, status }) => `${stepId} ${status}`)).toEqual([
      "paid COMPLETED",
      "review COMPLETED",
      "end COMPLETED",
    ])
  })

  test("a definition that cannot be is refused with every violation", async () => {
    const upload = mill.definitions.upload({ id: "broken", name: "Broken", steps: [{ id: "a", type: "WHAT" }] })
    await expect(upload).rejects.toMatchObject({ code: "bad-request", details: expect.any(Array) })
    await expect(mill.definitions.upload([] as object)).rejects.toThrow("the definition must be a plain object")
  })

  test("the metrics are Prometheus text", async () => {
    expect(await mill.metrics()).toMatch(/^# HELP \S+/m)
  })

  test("C-105: work without handlers says what it needs", async () => {
    const work = (options: unknown) => mill.work(options as { handlers: Record<string, () => void> })
    await expect(work({ charge: () => {} })).rejects.toThrow("handlers")
    await expect(work({ handlers: {} })).rejects.toThrow("handlers")
    await expect(work({ handlers: { charge: "x" } })).rejects.toThrow("must be a function")
  })
})
