// Standalone jobs that have ended, on real PostgreSQL: listed newest first, filtered, opened with their attempts, run again.

import { afterAll, beforeAll, expect, test } from "vitest"
import { EVERYTHING, Reach } from "../../model/people/reach.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { getDeadLetter, letterWithin, listDeadLetters } from "../dead-letters/read-dead-letters.ts"
import { replayDeadLetter } from "../dead-letters/replay-dead-letter.ts"
import { cancelJob } from "./end/cancel-job.ts"
import { type EnqueueRequest, enqueueJob } from "./enqueue/enqueue-job.ts"
import { type EndedJobQuery, listEndedJobs, listJobAttempts } from "./list-ended-jobs.ts"
import { listedJobWithin, listJobs } from "./list-jobs.ts"
import { getJob } from "./read-jobs.ts"
import { runJobAgain } from "./run-job-again.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel, "w-1")
  await engine.upload(workflow("flow", [service("work", "end"), end()]))
})
afterAll(() => engine.close())

const enqueue = async (jobType: string, more: Partial<EnqueueRequest> = {}): Promise<string> => {
  const request = { jobType, payload: { n: 1 }, retries: 0, whenFull: "refuse" as const, actor: "local", ...more }
  return (await enqueueJob(engine.kernel, request)).job.id
}
const completed = async (jobType: string, more: Partial<EnqueueRequest> = {}): Promise<string> => {
  const id = await enqueue(jobType, more)
  await worker.complete(await worker.claimOne(jobType), { done: true })
  return id
}
const died = async (jobType: string): Promise<string> => {
  const id = await enqueue(jobType)
  await worker.fail(await worker.claimOne(jobType), "boom", false)
  return id
}
const cancelled = async (jobType: string): Promise<string> => {
  const id = await enqueue(jobType)
  await cancelJob(engine.kernel, { id, reason: "wrong", actor: "anna" })
  return id
}
const list = (query: Partial<EndedJobQuery> = {}) => listEndedJobs(engine.kernel, { pageSize: 20, ...query })
const idsOf = async (query: Partial<EndedJobQuery> = {}) => (await list(query)).items.map(({ id }) => id)
const again = (id: string) => runJobAgain(engine.kernel, { id, actor: "anna" })

test("jobs that have ended are listed newest first, without those that have not and without steps", async () => {
  const first = await completed("mail")
  const instance = await worker.start("flow")
  await worker.complete(await worker.claimOne("work"))
  const second = await died("mail")
  await enqueue("waiting")
  const third = await cancelled("mail")
  const { items, nextCursor } = await list()
  expect(nextCursor).toBeUndefined()
  expect(items.map(({ id }) => id)).toEqual([third, second, first])
  expect(items.map(({ id }) => id)).not.toContain(instance)
  expect(items[2]).toEqual({
    id: first,
    jobType: "mail",
    priority: "normal",
    status: "COMPLETED",
    createdAt: expect.any(String),
    endedAt: expect.any(String),
    attempts: 1,
    workerId: "w-1",
  })
  expect(items[1]).toMatchObject({ status: "FAILED", error: "boom" })
  expect(items[0]).toMatchObject({ status: "CANCELLED", attempts: 0 })
})

test("they are filtered by status, type and priority, and a page goes on where the one before ended", async () => {
  const ids = [await completed("print", { priority: "high" }), await died("print"), await completed("print")]
  expect(await idsOf({ jobType: "print" })).toEqual([...ids].reverse())
  expect(await idsOf({ jobType: "print", status: "FAILED" })).toEqual([ids[1]])
  expect(await idsOf({ jobType: "print", priority: "high" })).toEqual([ids[0]])
  expect(await idsOf({ jobType: "nobody" })).toEqual([])
  const first = await list({ jobType: "print", pageSize: 2 })
  expect(first.items.map(({ id }) => id)).toEqual([ids[2], ids[1]])
  expect(await idsOf({ jobType: "print", pageSize: 2, cursor: first.nextCursor })).toEqual([ids[0]])
  await expect(list({ cursor: "bm9uc2Vuc2U" })).rejects.toMatchObject({ code: "bad-request" })
})

test("a job tells its attempts, the latest first, with what each died of", async () => {
  const id = await enqueue("shaky", { retries: 2, retry: "immediate" })
  await worker.fail(await worker.claimOne("shaky"), "no answer", true)
  expect(await listJobAttempts(engine.kernel, id)).toMatchObject([
    { attempt: 1, outcome: "failed", error: "no answer" },
  ])
  await worker.complete(await worker.claimOne("shaky"))
  expect(await listJobAttempts(engine.kernel, id)).toEqual([
    { attempt: 2, outcome: "completed", endedAt: expect.any(String), workerId: "w-1" },
    { attempt: 1, outcome: "failed", error: "no answer", endedAt: expect.any(String), workerId: "w-1" },
  ])
  await expect(listJobAttempts(engine.kernel, "nonsense")).rejects.toMatchObject({ code: "not-found" })
})

test("a job that has ended is run again as a new one, which says whose place it takes", async () => {
  const id = await completed("again", { priority: "high", downstream: "bank" })
  const { outcome } = await again(id)
  expect(await getJob(engine.kernel, outcome.id)).toMatchObject({
    status: "PENDING",
    type: "again",
    priority: "high",
    payload: '{"n": 1}',
    replayOf: id,
  })
  expect(await getJob(engine.kernel, id)).toMatchObject({ status: "COMPLETED" })
  expect((await worker.claimOne("again")).jobType).toBe("again")
})

test("one that has not ended, that is a dead letter, or that never was is not run again", async () => {
  const waits = await enqueue("waits")
  await expect(again(waits)).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("not ended") })
  const dead = await died("dies")
  await expect(again(dead)).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("dead letter") })
  await replayDeadLetter(engine.kernel, { id: dead, actor: "anna", reach: EVERYTHING })
  expect((await again(dead)).outcome.replayOf).toBe(dead)
  for (const id of ["nonsense", "01ARZ3NDEKTSV4RRFFQ69G5FAV"])
    await expect(again(id)).rejects.toMatchObject({ code: "not-found" })
})

test("the key of a job is told wherever the job is: live, ended, dead, and by its id", async () => {
  const keyed = { jobType: "keyed", key: "invoice-4711" }
  const id = await enqueue("keyed", keyed)
  await enqueue("keyed")
  const reach = new Reach(["jobs:read"])
  const { items } = await listJobs(engine.kernel, { status: "ready", jobType: "keyed", pageSize: 20 })
  expect(items.map((job) => listedJobWithin(reach, job).key)).toEqual(["invoice-4711", undefined])
  expect((await getJob(engine.kernel, id)).key).toBe("invoice-4711")
  await worker.fail(await worker.claimOne("keyed"), "boom", false)
  expect((await getJob(engine.kernel, id)).key).toBe("invoice-4711")
  expect((await list({ jobType: "keyed" })).items).toMatchObject([{ id, key: "invoice-4711" }])
  const letters = await listDeadLetters(engine.kernel, { type: "keyed" }, { limit: 20 })
  const letter = await getDeadLetter(engine.kernel, id)
  expect([...letters.items, letter].map((one) => letterWithin(reach, one).key)).toEqual([
    "invoice-4711",
    "invoice-4711",
  ])
})

test("of a long history 10,000 entries are looked at for one page, and the next goes on", async () => {
  const old = await completed("rare")
  await engine.db.script(`insert into millrace.history
      (instance_id, execution, step_id, step_type, attempt, status, started_at, ended_at, seq)
    select '7ZZZZZZZZZ' || lpad(n::text, 16, '0'), 1, 's', 'SERVICE_TASK', 1, 'COMPLETED', now(), now(), 0
    from generate_series(1, 10050) n`)
  const first = await list({ jobType: "rare" })
  expect(first.items).toEqual([])
  expect(await idsOf({ jobType: "rare", cursor: first.nextCursor })).toEqual([old])
})
