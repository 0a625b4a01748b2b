// Restarts on a real database: always a new run, linked to the one that has ended, which stays as it is.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Step, step, waitForSignal, workflow } from "../../index.ts"
import type { Mill } from "../../library/running/mill.ts"
import { end, workflow as graph, step as graphStep, linear, service } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { digestOf } from "../kernel/idempotency.ts"
import { examine } from "../upkeep/doctor.ts"
import { getHistory } from "./read-history.ts"
import { getAudit } from "./read-instances.ts"
import { restartInstance } from "./restart-instance.ts"

let mills: Mills
let mill: Mill
let worker: ReturnType<typeof drive>
let calls: string[]
let isBroken: boolean

beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  worker = drive(mills.kernel)
  const documents = [
    linear(),
    graph("forked", [
      graphStep("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["left", "right"], joinStep: "join" }),
      service("left", "join"),
      service("right", "join"),
      graphStep("JOIN_GATEWAY", "join", { nextStep: "last" }),
      service("last", "end"),
      end(),
    ]),
  ]
  for (const document of documents) await uploadDefinition(mills.kernel, { document, actor: "test" })
})
afterAll(() => mills.close())
beforeEach(() => {
  calls = []
  isBroken = false
})

const restart = (instanceId: string, more: object = {}) =>
  restartInstance(mills.kernel, { instanceId, actor: "ada", ...more })
const rowOf = async (id: string) => {
  const [row] = await mills.tables.script(`select * from millrace.finished_instances where id = '${id}'`)
  return row
}

async function completed(): Promise<string> {
  const id = await worker.start("linear", { amount: 3 }, { businessKey: `k-${Math.random()}` })
  await worker.complete(await worker.claimOne("a"), { a: 1 })
  await worker.complete(await worker.claimOne("b"), { b: 2 })
  return id
}

describe("a graph", () => {
  test("S4: a COMPLETED one is restarted from the beginning with its input; its row is not changed", async () => {
    const id = await completed()
    const before = await rowOf(id)
    const { instance } = await restart(id, { variables: { amount: 4 } })
    expect(instance).toMatchObject({ status: "ACTIVE", parentId: id, currentStepIds: ["a"], variables: { amount: 4 } })
    expect(instance.businessKey).toBe(before?.business_key)
    expect(await rowOf(id)).toEqual(before)
    const [started] = await getAudit(mills.kernel, instance.id, 0)
    expect(started).toMatchObject({ kind: "INSTANCE_STARTED", actor: "ada", detail: { restartOf: id } })
    await worker.complete(await worker.claimOne("a"))
    await worker.complete(await worker.claimOne("b"))
  })

  test("the one that has ended and the one in its place know each other, also when that has ended; the last of several is told", async () => {
    const id = await completed()
    expect(await worker.get(id)).not.toHaveProperty("restartedAs")
    const { instance: first } = await restart(id)
    expect(first).toMatchObject({ restartOf: id })
    expect(await worker.get(id)).toMatchObject({ restartedAs: first.id })
    await worker.complete(await worker.claimOne("a"))
    await worker.complete(await worker.claimOne("b"))
    const { instance: second } = await restart(id, { fromStep: "b" })
    expect(await worker.get(id)).toMatchObject({ restartedAs: second.id })
    for (const one of [first, second]) expect(await worker.get(one.id)).toMatchObject({ restartOf: id, parentId: id })
    expect(await worker.get(first.id)).not.toHaveProperty("restartedAs")
    await worker.complete(await worker.claimOne("b"))
  })

  test("from a step it goes on with the variables that the first one had come to", async () => {
    const id = await completed()
    const { instance } = await restart(id, { fromStep: "b", variables: { a: 9 } })
    expect(instance).toMatchObject({ currentStepIds: ["b"], variables: { amount: 3, a: 9, b: 2 } })
    await worker.complete(await worker.claimOne("b"))
    expect((await worker.get(instance.id)).status).toBe("COMPLETED")
    expect((await getHistory(mills.kernel, instance.id)).map(({ stepId }) => stepId)).toEqual(["b", "end"])
  })

  test("a step that is not there, or inside a fork, or a join is refused; the fork itself and what follows are not", async () => {
    const id = await worker.start("forked")
    for (const type of ["left", "right", "last"]) await worker.complete(await worker.claimOne(type))
    for (const fromStep of ["left", "join", "nowhere"])
      await expect(restart(id, { fromStep })).rejects.toMatchObject({ code: "bad-request" })
    const { instance } = await restart(id, { fromStep: "last" })
    expect(instance.currentStepIds).toEqual(["last"])
    await worker.complete(await worker.claimOne("last"))
    const { instance: all } = await restart(id, { fromStep: "fork" })
    expect(all.currentStepIds).toEqual(["left", "right"])
    for (const type of ["left", "right", "last"]) await worker.complete(await worker.claimOne(type))
    expect((await worker.get(all.id)).status).toBe("COMPLETED")
  })

  test("a live one is a conflict, an unknown one is not found", async () => {
    const id = await worker.start("linear")
    await expect(restart(id)).rejects.toMatchObject({ code: "conflict" })
    await expect(restart("01ARZ3NDEKTSV4RRFFQ69G5FAV")).rejects.toMatchObject({ code: "not-found" })
    await expect(restart("nonsense")).rejects.toMatchObject({ code: "not-found" })
    await mill.runs.handle(id).cancel()
  })

  test("S3: a repeat with the same key starts nothing; a business key that is in use again is a conflict", async () => {
    const id = await completed()
    const requestKey = { scope: "test", key: "once", digest: digestOf({ id }) }
    const first = await restart(id, { requestKey })
    const second = await restart(id, { requestKey })
    expect(second).toMatchObject({ isRepeat: true, instance: { id: first.instance.id } })
    await expect(restart(id)).rejects.toMatchObject({ code: "conflict" })
    await mill.runs.handle(first.instance.id).cancel()
  })
})

describe("a list", () => {
  const note = (name: string) => {
    calls.push(name)
    if (isBroken && name === "c") throw new Error("c is broken")
    return { [name]: calls.length }
  }
  const list = workflow("list", {
    recover: "resume",
    steps: [
      step("a", () => note("a"), { was: "old-a", undo: () => note("undo a") }),
      step("b", (_: Step<{ n?: number }>) => note("b")),
      step("c", () => note("c")),
    ],
  })
  const plain = workflow("plain", {
    recover: "resume",
    steps: [step("a", () => note("a")), step("b", () => note("b")), step("c", () => note("c"))],
  })

  test("from a step it takes over what is on record of the steps before it, and does the others again", async () => {
    const { id } = await mill.start(plain, {})
    await mill.drain([plain])
    calls = []
    const { id: again } = await mill.runs.handle(id).restart({ from: "b" })
    await mill.drain([plain])
    expect(calls).toEqual(["b", "c"])
    expect(await mill.runs.get(again)).toMatchObject({
      status: "COMPLETED",
      parentId: id,
      variables: { a: 1, b: 1, c: 2 },
    })
  })

  test("what was undone is restarted from the beginning only", async () => {
    isBroken = true
    const { id } = await mill.start(list, { n: 1 })
    await mill.drain([list])
    isBroken = false
    expect(calls).toEqual(["a", "b", "c", "undo a"])
    await expect(mill.runs.handle(id).restart({ from: "b" })).rejects.toMatchObject({ code: "conflict" })
    calls = []
    const { id: again } = await mill.runs.handle(id).restart({ input: { n: 2 } })
    await mill.drain([list])
    expect(calls).toEqual(["a", "b", "c"])
    expect(await mill.runs.get(again)).toMatchObject({ status: "COMPLETED", input: { n: 2 } })
    expect((await mill.runs.get(id)).status).toBe("FAILED")
  })

  test("S4: where the new run fails, the steps that it has taken over are not undone: they are those of a run that has completed", async () => {
    const { id } = await mill.start(list, {})
    await mill.drain([list])
    calls = []
    isBroken = true
    for (const from of ["b", "c"]) {
      const { id: again } = await mill.runs.handle(id).restart({ from })
      await mill.drain([list])
      expect((await mill.runs.get(again)).status).toBe("FAILED")
    }
    expect(calls).toEqual(["b", "c", "c"])
    expect((await mill.runs.get(id)).status).toBe("COMPLETED")
  })

  test("a CANCELLED one too; a list that keeps no record, and the list itself as a step, are refused", async () => {
    const waiting = workflow("waiting", { recover: "resume", steps: [step("a", () => note("a")), waitForSignal("go")] })
    const { id } = await mill.start(waiting, {})
    await mill.drain([waiting])
    await mill.runs.handle(id).cancel()
    const { id: again } = await mill.runs.handle(id).restart({ from: "go" })
    await mill.drain([waiting])
    expect(calls).toEqual(["a"])
    await mill.runs.handle(again).signal("go", {})
    await mill.drain([waiting])
    expect((await mill.runs.get(again)).status).toBe("COMPLETED")
    await expect(mill.runs.handle(id).restart({ from: "waiting" })).rejects.toMatchObject({ code: "bad-request" })
    const forgetful = workflow("forgetful", { steps: [step("a", () => note("a"))] })
    const { id: other } = await mill.start(forgetful, {})
    await mill.drain([forgetful])
    await expect(mill.runs.handle(other).restart({ from: "a" })).rejects.toMatchObject({ code: "bad-request" })
  })
})

test("a function takes over what ended before the step that it begins with", async () => {
  const flow = workflow("flow", async (run) => {
    const a = await run.step("a", () => calls.push("a"))
    const b = await run.step("b", () => calls.push("b"))
    return await run.step("c", () => calls.push(`c${a}${b}`))
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  calls = []
  await mill.runs.handle(id).restart({ from: "b" })
  await mill.drain([flow])
  expect(calls).toEqual(["b", "c11"])
  await expect(mill.runs.handle(id).restart({ from: "z" })).rejects.toMatchObject({ code: "bad-request" })
})

test("S10, S16: after all that the doctor has nothing to tell", async () => {
  expect(await examine(mills.kernel)).toEqual([])
})
