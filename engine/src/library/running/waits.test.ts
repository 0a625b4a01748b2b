// Waits of a list: what comes early is kept, what does not come in time is missing, and meanwhile nothing is held but a row.

import { afterAll, beforeAll, expect, test } from "vitest"
import { type Step, sleep, userTask, waitForSignal, workflow } from "../../index.ts"
import { releaseJobs } from "../../operations/flow/release-jobs.ts"
import { completeUserTask } from "../../operations/instances/change-instance.ts"
import { getHistory } from "../../operations/instances/read-history.ts"
import { seriesOf } from "../../operations/observability/counter-series.ts"
import { EngineError } from "../../support/errors.ts"
import { startClock, stopClock } from "../../test-support/database-clock.ts"
import { noTerm } from "../../test-support/loops.ts"
import { eventually, type Mills, openMills } from "../../test-support/mills.ts"
import { askedWhileQuiet } from "../../test-support/quiet.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

const tasksOf = (id: string) =>
  mills.tables.script(`select step_id, status from millrace.user_tasks where instance_id = '${id}' order by execution`)

test("F69, S13: signals that come early are kept, and several of one name are taken in the order they came", async () => {
  const flow = workflow("in-order", {
    recover: "resume",
    steps: [waitForSignal("item", { as: "first" }), waitForSignal("item", { as: "second" }), waitForSignal("end")],
  })
  const { id } = await mill.start(flow, {})
  for (const n of [1, 2, 3]) await mill.runs.handle(id).signal("item", { n })
  await mill.drain([flow])
  await mill.runs.handle(id).signal("end", {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({
    status: "COMPLETED",
    variables: { first: { n: 1 }, second: { n: 2 }, end: {} },
  })
})

test("a signal that a newer list waits for is taken by a run that was started before that list", async () => {
  const old = workflow("newer-wait", { recover: "resume", steps: [sleep("PT1H")] })
  const { id } = await mill.start(old, {})
  const current = workflow("newer-wait", { recover: "resume", steps: [waitForSignal("approved")] })
  await expect(mill.runs.handle(id).signal("approved", {})).rejects.toMatchObject({ code: "not-found" })
  // With this start the engine knows the newer list.
  await mill.start(current, {})
  await mill.runs.handle(id).signal("approved", { by: "me" })
  await mill.drain([current])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { approved: { by: "me" } } })
})

test("`within` that has passed, and it may continue: the list goes on without a value, once, and a late signal is kept for nobody", async () => {
  let seen: unknown = "nothing"
  const flow = workflow("too-late", {
    recover: "resume",
    steps: [
      waitForSignal("paid", { within: "PT1H", onTimeout: "continue" }),
      function look({ context }: Step<unknown, { paid?: unknown }>) {
        seen = context.paid
      },
      waitForSignal("end"),
    ],
  })
  // The last second of the wait passes where the test says so.
  await stopClock(mills.kernel)
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "WAITING" })
  await mills.advanceClock(3_599_000)
  expect(seen).toBe("nothing")
  await mills.advanceClock(2_000)
  await eventually(() => seen).toBeUndefined()
  await mill.runs.handle(id).signal("paid", { late: true })
  await mill.runs.handle(id).signal("end", {})
  const run = await mill.runs.handle(id).ended()
  expect(run).toMatchObject({ status: "COMPLETED" })
  expect(run.variables).not.toHaveProperty("paid")
  await worker.stop()
  await startClock(mills.kernel)
})

test("a user task is opened once, however often the run looks, and what it is completed with is in the context", async () => {
  const flow = workflow("task", { recover: "resume", steps: [userTask({ name: "review", group: "ops" })] })
  const { id } = await mill.start(flow, {})
  for (let look = 0; look < 3; look++) {
    await mill.drain([flow])
    await mills.tables.script(`update millrace.jobs set status = 'ready' where instance_id = '${id}'`)
  }
  await mill.drain([flow])
  expect(await tasksOf(id)).toEqual([{ step_id: "review", status: "OPEN" }])
  const done = { instanceId: id, stepId: "review", variables: { ok: true }, completedBy: "ann", actor: "ann" }
  await completeUserTask(mills.kernel, done)
  await expect(completeUserTask(mills.kernel, done)).rejects.toMatchObject({ code: "not-found" })
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { review: { ok: true } } })
})

test("a user task that is not done in time is closed when the run waits for something else, or ends", async () => {
  const limited = { within: "PT1H", onTimeout: "continue" } as const
  const flow = workflow("task-late", {
    recover: "resume",
    steps: [userTask({ name: "one", ...limited }), userTask({ name: "two", ...limited })],
  })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await eventually(() => tasksOf(id)).toHaveLength(1)
  await mills.advanceClock(3_700_000)
  await eventually(() => tasksOf(id)).toEqual([
    { step_id: "one", status: "CANCELLED" },
    { step_id: "two", status: "OPEN" },
  ])
  await mills.advanceClock(3_700_000)
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(await tasksOf(id)).toMatchObject([{ status: "CANCELLED" }, { status: "CANCELLED" }])
  await worker.stop()
})

test("cancel while it waits: the task is closed, the job is gone, and a later signal is refused", async () => {
  const flow = workflow("called-off", {
    recover: "resume",
    steps: [userTask({ name: "review" }), waitForSignal("go", { as: "went" })],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  await mill.runs.handle(id).cancel({ reason: "no" })
  expect(await tasksOf(id)).toEqual([{ step_id: "review", status: "CANCELLED" }])
  expect(await mills.tables.script(`select * from millrace.jobs where instance_id = '${id}'`)).toEqual([])
  await expect(mill.runs.handle(id).signal("go", {})).rejects.toMatchObject({ code: "conflict" })
  await expect(mill.runs.handle(id).cancel()).rejects.toMatchObject({ code: "conflict" })
  expect(await mill.drain([flow])).toMatchObject({ processed: 0 })
})

test("the history of a run tells of its waits: those that are over, the one it stands at, and what came to nothing", async () => {
  const flow = workflow("told-waits", {
    recover: "resume",
    steps: [sleep("PT1H", { name: "nap" }), waitForSignal("go"), userTask({ name: "review" })],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  const history = async () =>
    Object.fromEntries((await getHistory(mills.kernel, id)).map(({ stepId, status }) => [stepId, status]))
  expect(await history()).toEqual({ "told-waits": "RUNNING", nap: "RUNNING" })
  await mills.advanceClock(3_700_000)
  while ((await releaseJobs(mills.kernel, noTerm)) > 0);
  await mill.drain([flow])
  expect(await history()).toEqual({ "told-waits": "RUNNING", nap: "COMPLETED", go: "RUNNING" })
  await mill.runs.handle(id).cancel()
  expect(await history()).toEqual({ "told-waits": "SKIPPED", nap: "COMPLETED", go: "SKIPPED" })
})

test("a wait that was not answered in time and fails its run is FAILED with its end, in the history as among its steps", async () => {
  const flow = workflow("too-late", {
    recover: "resume",
    steps: [waitForSignal("paid", { within: "PT1H", onTimeout: "fail" })],
  })
  const run = await mill.start(flow, {})
  await mill.drain([flow])
  await mills.advanceClock(3_700_000)
  while ((await releaseJobs(mills.kernel, noTerm)) > 0);
  await mill.drain([flow])
  const { completedAt } = await mill.runs.get(run.id)
  const told = { stepId: "paid", status: "FAILED", endedAt: completedAt, failureReason: expect.any(String) }
  expect((await getHistory(mills.kernel, run.id)).filter(({ stepId }) => stepId === "paid")).toMatchObject([told])
  expect(await run.steps()).toMatchObject([told])
})

test("a signal that a list waits for nowhere is refused and names those that it waits for; an early one leaves a run waiting", async () => {
  const flow = workflow("spelt", { recover: "resume", steps: [waitForSignal("approved"), waitForSignal("paid")] })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  const run = mill.runs.handle(id)
  await expect(run.signal("aproved", {})).rejects.toMatchObject({
    code: "not-found",
    message: "spelt waits for no signal aproved: it waits for approved, paid",
    constructor: EngineError,
  })
  expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
  await run.signal("paid", {})
  expect(await mill.runs.get(id)).toMatchObject({ status: "WAITING" })
  await run.signal("approved", {})
  expect(await mill.runs.get(id)).toMatchObject({ status: "ACTIVE" })
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
})

test.each([
  ["list", workflow("told-task", { recover: "resume", steps: [userTask({ name: "review" })] })],
  ["function", workflow("told-task-function", async (run) => run.userTask("review", {}))],
])("the history of a %s tells of a user task once, while it is open and when it is done", async (_, flow) => {
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  const told = async () =>
    (await getHistory(mills.kernel, id)).filter(({ stepId }) => stepId === "review").map(({ status }) => status)
  expect(await told()).toEqual(["RUNNING"])
  await mill.runs.handle(id).completeUserTask("review", { ok: true })
  await mill.drain([flow])
  expect(await told()).toEqual(["COMPLETED"])
})

test("a signal for a step that is no wait is refused, and so is one for a run that never was", async () => {
  const flow = workflow("kinds", { recover: "resume", steps: [userTask({ name: "review" }), function work() {}] })
  const { id } = await mill.start(flow, {})
  await expect(mill.runs.handle(id).signal("work", {})).rejects.toMatchObject({ code: "bad-request" })
  await expect(mill.runs.handle(id).signal("review", {})).rejects.toMatchObject({ code: "bad-request" })
  await expect(mill.runs.handle("01JZZZZZZZZZZZZZZZZZZZZZZZ").signal("go", {})).rejects.toMatchObject({
    code: "not-found",
  })
  await mill.runs.handle(id).cancel()
})

test("a run that sleeps survives the end of every process", async () => {
  const flow = workflow("long-sleep", { recover: "resume", steps: [sleep("P7D"), function after() {}] })
  const { mill: first } = await mills.another()
  const { id } = await first.start(flow, {})
  await first.drain([flow])
  await first.stop()
  await mills.advanceClock(7 * 86_400_000 + 1_000)
  const worker = await mill.work([flow])
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  await worker.stop()
})

test("1,000 runs that wait take no place of a worker and ask nothing of the database", async () => {
  const flow = workflow("crowd", { recover: "resume", steps: [waitForSignal("go", { within: "P1D" })] })
  const ids = await Promise.all(Array.from({ length: 1_000 }, async () => (await mill.start(flow, {})).id))
  const worker = await mill.work([flow], { concurrency: 20 })
  const waiting = () =>
    mills.tables.script("select count(*) as n from millrace.jobs where status = 'held' and waits_for = 'go'")
  await eventually(waiting).toEqual([{ n: 1_000 }])
  await seriesOf(mills.kernel).flush(mills.kernel, true)
  expect(await askedWhileQuiet(mills.kernel)).toEqual([])
  const other = workflow("beside", { steps: [function now() {}] })
  await mill.drain([other])
  await mill.runs.handle(ids[500] as string).signal("go", {})
  expect(await mill.runs.handle(ids[500] as string).ended()).toMatchObject({ status: "COMPLETED" })
  await worker.stop()
})
