// Error events, early signals and waits with a duration on a real database.
import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { JsonObject } from "../../support/json.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { auditKinds, countRows, liveRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { examine } from "../upkeep/doctor.ts"
import { cancelInstance, completeUserTask, signalWait } from "./change-instance.ts"
import { explainWaiting } from "./explain-waiting.ts"
import { getHistory } from "./read-history.ts"
import { retryInstance } from "./retry-instance.ts"
import { fireTimers } from "./run-timers.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
  const boundaryEvents = [{ type: "ERROR", targetStepId: "refund" }]
  await engine.upload(
    workflow("caught", [
      service("pay", "end", { jobType: "pay", retryCount: 1, timeout: { queue: "PT1M" }, boundaryEvents }),
      service("refund", "end", { jobType: "refund" }),
      end(),
    ]),
  )
  await engine.upload(
    workflow("early", [
      step("USER_TASK", "pack", { nextStep: "paid" }),
      step("WAIT", "paid", { nextStep: "cool", keepEarly: true }),
      step("WAIT", "cool", { nextStep: "end", duration: "PT1H" }),
      end(),
    ]),
  )
})
afterAll(() => engine.close())

const signal = (instanceId: string, variables = {}, stepId = "paid") =>
  signalWait(engine.kernel, { instanceId, stepId, variables, actor: "ada" })
const pack = (instanceId: string) =>
  completeUserTask(engine.kernel, { instanceId, stepId: "pack", variables: {}, completedBy: "ada", actor: "ada" })
const stepsOf = async (id: string) =>
  (await getHistory(engine.kernel, id)).map(({ stepId, status }) => `${stepId} ${status}`)

describe("an ERROR event", () => {
  test("C-67: the last failure leads to the target with the error as a variable, and leaves no dead letter", async () => {
    const id = await worker.start("caught", { amount: 3 })
    await worker.fail(await worker.claimOne("pay"), "card blocked")
    await worker.fail(await worker.claimOne("pay"), "card blocked")
    expect(await worker.get(id)).toMatchObject({
      status: "ACTIVE",
      currentStepIds: ["refund"],
      variables: { amount: 3, error: { stepId: "pay", reason: "card blocked" } },
    })
    expect(await countRows(engine.db, "dead_letters", `instance_id = '${id}'`)).toBe(0)
    expect(await auditKinds(engine.db, id)).toEqual([
      "INSTANCE_STARTED",
      "JOB_DISPATCHED",
      "JOB_RETRIED",
      "JOB_FAILED",
      "ERROR_CAUGHT",
      "JOB_DISPATCHED",
    ])
    const job = await worker.claimOne("refund")
    expect(JSON.parse(job.variables)).toMatchObject({ error: { stepId: "pay", reason: "card blocked" } })
    await worker.complete(job)
    expect(await worker.get(id)).toMatchObject({ status: "COMPLETED" })
    expect(await stepsOf(id)).toEqual(["pay FAILED", "refund COMPLETED", "end COMPLETED"])
    expect(await liveRows(engine.db, id)).toEqual({ instances: 0, jobs: 0, timers: 0, tasks: 0 })
  })

  test("C-128: a timeout of the step is caught too, and the worker that comes late has nothing to report on", async () => {
    const id = await worker.start("caught")
    await engine.advanceClock(61_000)
    await fireTimers(engine.kernel, noTerm)
    expect((await worker.get(id)).currentStepIds).toEqual(["refund"])
    expect(await worker.claim(["pay"])).toEqual([])
    await cancelInstance(engine.kernel, { instanceId: id, reason: undefined, actor: "ada" })
  })

  test("C-57: the history has the error as what the step changed, so that inputs are still the fold of the changes", async () => {
    const id = await worker.start("caught", { amount: 3 })
    await worker.fail(await worker.claimOne("pay"), "no", false)
    const [pay] = await getHistory(engine.kernel, id)
    expect(pay).toMatchObject({
      status: "FAILED",
      failureReason: "no",
      output: { error: { stepId: "pay", reason: "no" } },
    })
    await worker.fail(await worker.claimOne("refund"), "bank away", false)
    expect(await worker.get(id)).toMatchObject({ status: "FAILED", failureReason: "bank away" })
    await retryInstance(engine.kernel, { instanceId: id, actor: "ada" })
    await worker.complete(await worker.claimOne("refund"))
    expect((await worker.get(id)).status).toBe("COMPLETED")
  })
})

describe("a WAIT", () => {
  test("S13: with keepEarly takes the signal that came before it, which was there for every process to see", async () => {
    const id = await worker.start("early")
    await signal(id, { receipt: "R-1" })
    expect((await worker.get(id)).variables).toEqual({})
    await expect(signal(id, { receipt: "R-2" })).rejects.toMatchObject({ code: "conflict" })
    await pack(id)
    expect(await worker.get(id)).toMatchObject({ currentStepIds: ["cool"], variables: { receipt: "R-1" } })
    await expect(signal(id)).rejects.toMatchObject({ code: "conflict" })
    await cancelInstance(engine.kernel, { instanceId: id, reason: undefined, actor: "ada" })
  })

  test("S13, C-74: of signals that race for a wait that is still to come, one is kept and the others are conflicts", async () => {
    const id = await worker.start("early")
    const racing = await Promise.allSettled([1, 2, 3, 4].map((n) => signal(id, { n })))
    expect(racing.filter((one) => one.status === "fulfilled")).toHaveLength(1)
    const winner = racing.findIndex((one) => one.status === "fulfilled") + 1
    await pack(id)
    expect((await worker.get(id)).variables).toEqual({ n: winner })
    await cancelInstance(engine.kernel, { instanceId: id, reason: undefined, actor: "ada" })
  })

  test("C-74: with a duration goes on by itself, not before its time, and says until when it waits", async () => {
    const id = await worker.start("early")
    await signal(id)
    await pack(id)
    expect(await countRows(engine.db, "timers", `instance_id = '${id}'`)).toBe(1)
    const [, timer] = await explainWaiting(engine.kernel, id)
    expect(timer?.detail.message).toMatch(/^Goes on at .*, unless a signal ends the wait before\.$/)
    await engine.advanceClock(3_500_000)
    await fireTimers(engine.kernel, noTerm)
    expect((await worker.get(id)).status).toBe("WAITING")
    await engine.advanceClock(100_000)
    await fireTimers(engine.kernel, noTerm)
    expect((await worker.get(id)).status).toBe("COMPLETED")
    expect(await stepsOf(id)).toEqual(["pack COMPLETED", "paid COMPLETED", "cool COMPLETED", "end COMPLETED"])
  })
})

describe("the example of the guide", () => {
  /** The definition that the page about definitions shows. */
  const example = async () => {
    const page = await readFile(new URL("../../../../docs/guides/definitions.md", import.meta.url), "utf8")
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => JSON.parse(text) as JsonObject)
    return blocks.find(({ id }) => id === "delivery") as JsonObject
  }

  test("runs: an expired card leads to a person and back, an early signal is kept, the time to return it passes", async () => {
    await engine.upload(await example())
    const id = await worker.start("delivery")
    await signal(id, { parcel: 7 }, "packed")
    await worker.fail(await worker.claimOne("charge-card"), "card expired", false)
    expect((await worker.get(id)).currentStepIds).toEqual(["ask"])
    const completion = { instanceId: id, stepId: "ask", variables: {}, completedBy: "ada", actor: "ada" }
    await completeUserTask(engine.kernel, completion)
    await worker.complete(await worker.claimOne("charge-card"))
    expect(await worker.get(id)).toMatchObject({ currentStepIds: ["return-period"], variables: { parcel: 7 } })
    await engine.advanceClock(15 * 86_400_000)
    await fireTimers(engine.kernel, noTerm)
    expect((await worker.get(id)).status).toBe("COMPLETED")
  })

  test("runs: any other failure cancels the order", async () => {
    const id = await worker.start("delivery")
    await worker.fail(await worker.claimOne("charge-card"), "no such card", false)
    await worker.complete(await worker.claimOne("cancel-order"))
    expect((await worker.get(id)).status).toBe("COMPLETED")
  })
})

test("S10, S16: after all that the doctor has nothing to tell", async () => {
  expect(await examine(engine.kernel)).toEqual([])
})
