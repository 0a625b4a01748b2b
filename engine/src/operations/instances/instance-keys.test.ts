// Rows that name an instance say what it is called: dead letters, jobs and user tasks, by the run's key and the business key.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { getDeadLetter, listDeadLetters } from "../dead-letters/read-dead-letters.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { listJobs } from "../jobs/list-jobs.ts"
import { getUserTask, listUserTasks } from "../people/user-tasks.ts"
import { completeUserTask } from "./change-instance.ts"
import { withInstanceKeys, withoutInstanceKeys } from "./instance-keys.ts"
import { searchInstances } from "./search-instances.ts"
import { takeIntake } from "./start/take-intake.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>
beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await engine.upload(workflow("charge", [service("charge", "end"), end()]))
  await engine.upload(workflow("ask", [step("USER_TASK", "ask", { nextStep: "end" }), end()]))
})
afterAll(() => engine.close())

const takeIn = (definitionId: string, key: string) =>
  takeIntake(engine.kernel, { definitionId, key, payload: {}, actor: "local" })
const keysOf = (rows: readonly { readonly key?: string; readonly businessKey?: string }[]) =>
  rows.map(({ key, businessKey }) => key ?? businessKey).sort()

test("a job of a step has the keys of its live instance, its dead letter those of the ended one, a standalone job has none", async () => {
  await takeIn("charge", "run-7")
  await worker.start("charge", {}, { businessKey: "order-17" })
  await worker.start("charge")
  await enqueueJob(engine.kernel, { jobType: "charge", payload: {}, whenFull: "refuse", actor: "local" })
  const ready = (await listJobs(engine.kernel, { status: "ready", jobType: "charge", pageSize: 20 })).items
  expect(keysOf(ready)).toEqual(["order-17", "run-7", undefined, undefined])
  const claimed = await worker.claim(["charge"])
  const leased = (await listJobs(engine.kernel, { status: "leased", pageSize: 20 })).items
  expect(keysOf(leased)).toEqual(["order-17", "run-7", undefined, undefined])
  for (const job of claimed) await worker.fail(job, "declined", false)
  const letters = (await listDeadLetters(engine.kernel, {}, { limit: 20 })).items
  expect(keysOf(letters)).toEqual(["order-17", "run-7", undefined, undefined])
  for (const { id, key, businessKey } of letters) {
    const one = await getDeadLetter(engine.kernel, id)
    expect([one.key, one.businessKey]).toEqual([key, businessKey])
  }
})

test("the linking id is told with the keys: of jobs, dead letters, user tasks and what a search has found", async () => {
  const linked = (definitionId: string, key: string) =>
    takeIntake(engine.kernel, { definitionId, key, linkingId: "user-4711", payload: {}, actor: "local" })
  await linked("charge", "linked-1")
  const keys = { key: "linked-1", linkingId: "user-4711" }
  const [job] = (await listJobs(engine.kernel, { status: "ready", jobType: "charge", pageSize: 20 })).items
  expect(job).toMatchObject(keys)
  await worker.fail(await worker.claimOne("charge"), "declined", false)
  const letters = (await listDeadLetters(engine.kernel, {}, { limit: 20 })).items
  expect(letters.find(({ key }) => key === "linked-1")).toMatchObject(keys)
  expect(await searchInstances(engine.kernel, { prefix: "linked", limit: 5 })).toMatchObject([
    { matched: "key", ...keys },
  ])
  await linked("ask", "linked-2")
  const tasks = (await listUserTasks(engine.kernel, { status: "OPEN", pageSize: 20 })).items
  const task = tasks.find(({ key }) => key === "linked-2")
  expect(task).toMatchObject({ linkingId: "user-4711" })
  // The keys belong to the instance: a caller that may not read instances does not see them.
  for (const row of [job, task]) expect(withoutInstanceKeys(row ?? {})).not.toHaveProperty("linkingId")
  const { instanceId = "" } = task ?? {}
  await completeUserTask(engine.kernel, { instanceId, stepId: "ask", variables: {}, completedBy: "ann", actor: "ann" })
})

test("a user task has the key of its run, in the inbox and by itself, and keeps it when its instance has ended", async () => {
  await takeIn("ask", "loan-3")
  const [task] = (await listUserTasks(engine.kernel, { status: "OPEN", pageSize: 20 })).items
  expect(task?.key).toBe("loan-3")
  const { id = "", instanceId = "" } = task ?? {}
  await completeUserTask(engine.kernel, { instanceId, stepId: "ask", variables: {}, completedBy: "ann", actor: "ann" })
  expect(await getUserTask(engine.kernel, id)).toMatchObject({ status: "COMPLETED", key: "loan-3" })
})

test("a page costs one statement more, and none where it names no instance", async () => {
  const id = await worker.start("charge", {}, { businessKey: "order-18" })
  const read = vi.spyOn(engine.kernel.db, "read")
  const rows = [{ instanceId: id }, {}, { instanceId: id }]
  expect(keysOf(await withInstanceKeys(engine.kernel, rows))).toEqual(["order-18", "order-18", undefined])
  expect(read).toHaveBeenCalledTimes(1)
  await withInstanceKeys(engine.kernel, [{}])
  expect(read).toHaveBeenCalledTimes(1)
  read.mockRestore()
})
