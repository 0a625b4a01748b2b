// Histories on a real database: who worked on a step, and the attempts before the one that counted.
import { afterAll, beforeAll, expect, test } from "vitest"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, sweepAll } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { getHistory } from "./read-history.ts"
import { getInstance, listInstances } from "./read-instances.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const define = (id: string) => engine.upload(workflow(id, [service(id, "end", { retryCount: 3 }), end()]))
const stepOf = async (instanceId: string, stepId: string) =>
  (await getHistory(engine.kernel, instanceId)).find((entry) => entry.stepId === stepId)

test("C-23: an instance carries what it was started with, and a list does not", async () => {
  await define("fed")
  const worker = drive(engine.kernel)
  const id = await worker.start("fed", { amount: 1, name: "Ada" })
  expect(await getInstance(engine.kernel, id)).toMatchObject({ input: { amount: 1, name: "Ada" } })
  await worker.complete(await worker.claimOne("fed"), { amount: 2 })
  const ended = await getInstance(engine.kernel, id)
  expect(ended).toMatchObject({
    status: "COMPLETED",
    input: { amount: 1, name: "Ada" },
    variables: { amount: 2, name: "Ada" },
  })
  const { items } = await listInstances(engine.kernel, { definitionId: "fed", page: 0, pageSize: 1 })
  expect(items).toEqual([expect.not.objectContaining({ input: expect.anything() })])
})

test("C-24: a step that went well at once names its worker and no attempts", async () => {
  await define("quick")
  const worker = drive(engine.kernel, "quick-1")
  const id = await worker.start("quick")
  expect(await stepOf(id, "quick")).not.toHaveProperty("workerId")
  const job = await worker.claimOne("quick")
  expect(await stepOf(id, "quick")).toMatchObject({ status: "RUNNING", workerId: "quick-1" })
  await worker.complete(job)
  const ended = await stepOf(id, "quick")
  expect(ended).toMatchObject({ status: "COMPLETED", workerId: "quick-1" })
  expect(ended).not.toHaveProperty("attempts")
  expect(await stepOf(id, "end")).not.toHaveProperty("workerId")
})

test("C-24: attempts that failed or were lost are told, oldest first, while the step is open and after it", async () => {
  await define("bumpy")
  const [first, second, third] = [
    drive(engine.kernel, "b-1"),
    drive(engine.kernel, "b-2"),
    drive(engine.kernel, "b-3"),
  ] as const
  const id = await first.start("bumpy")
  await first.fail(await first.claimOne("bumpy"), "connection refused", true, 0)
  await second.claimOne("bumpy", 5_000)
  await engine.advanceClock(6_000)
  await sweepAll(engine.kernel)
  const attempts = [
    { attempt: 1, outcome: "failed", error: "connection refused", workerId: "b-1", endedAt: expect.any(String) },
    { attempt: 2, outcome: "lost", error: expect.any(String), workerId: "b-2", endedAt: expect.any(String) },
  ]
  const open = await stepOf(id, "bumpy")
  expect(open).toMatchObject({ status: "RUNNING", attempts })
  expect(open).not.toHaveProperty("workerId")
  await third.complete(await third.claimOne("bumpy"))
  expect(await stepOf(id, "bumpy")).toMatchObject({ status: "COMPLETED", workerId: "b-3", attempts })
})

test("C-24: each execution has its own attempts and its own worker", async () => {
  await engine.upload(
    workflow("twins", [
      step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["a", "b"], joinStep: "join" }),
      service("a", "join", { retryCount: 1 }),
      service("b", "join", { retryCount: 1 }),
      step("JOIN_GATEWAY", "join", { nextStep: "end" }),
      end(),
    ]),
  )
  const [left, right] = [drive(engine.kernel, "left"), drive(engine.kernel, "right")]
  const id = await left.start("twins")
  await left.claimOne("a")
  await right.fail(await right.claimOne("b"), "not now", true, 0)
  expect(await stepOf(id, "a")).toMatchObject({ workerId: "left" })
  expect(await stepOf(id, "a")).not.toHaveProperty("attempts")
  expect(await stepOf(id, "b")).toMatchObject({ attempts: [{ attempt: 1, workerId: "right" }] })
})

test("C-24: of a run that is tried for months the last thousand attempts are told", async () => {
  await define("stubborn")
  const id = await drive(engine.kernel).start("stubborn")
  await engine.db.script(`insert into millrace.attempts (instance_id, execution, epoch, outcome, error, ended_at)
    select '${id}', 1, n, case when n % 2 = 0 then 'parked' else 'failed' end, 'again', now() from generate_series(1, 3000) n`)
  const attempts = (await stepOf(id, "stubborn"))?.attempts ?? []
  expect([attempts.length, attempts.at(0)?.attempt, attempts.at(-1)?.attempt]).toEqual([1_000, 1_001, 2_999])
  expect(attempts.at(0)).not.toHaveProperty("workerId")
})
