import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { explainJobWaiting } from "../instances/explain-waiting.ts"
import { enqueueJob } from "./enqueue/enqueue-job.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
})
afterAll(() => engine.close())

const enqueue = async (jobType: string, more: object = {}) =>
  (await enqueueJob(engine.kernel, { jobType, payload: {}, whenFull: "refuse", actor: "local", ...more })).job.id
const only = async (id: string) => {
  const reasons = await explainJobWaiting(engine.kernel, id)
  expect(reasons).toHaveLength(1)
  return reasons[0]
}

describe("why a standalone job waits", () => {
  test("in its queue: its place, and the share of its priority", async () => {
    await enqueue("e-queue")
    const reason = await only(await enqueue("e-queue"))
    expect(reason).toMatchObject({ kind: "job-queued", detail: { position: 2, priority: "normal", share: 10 } })
    expect(reason?.detail.message).toBe(
      "Waits in the queue for a worker to take its job of type e-queue. No worker has ever asked for e-queue: start one that does. 1 job is before it.",
    )
  })

  test("for a worker of its type that is busy with its first job, and is known from its first poll on", async () => {
    const claim = worker.claimOne("e-first")
    await enqueue("e-first")
    await claim
    const second = await enqueue("e-first")
    await expect
      .poll(async () => (await only(second))?.detail.message)
      .toBe(
        "Waits in the queue for a worker to take its job of type e-first. It is the next one. Priority normal gets 10 of 100 claims.",
      )
  })

  test("for another attempt: a worker of its type has been there, even one whose polls were never noted", async () => {
    const id = await enqueue("e-lost")
    const job = await worker.claimOne("e-lost")
    await worker.fail(job, "gone", true, 1)
    await engine.db.script("update millrace.queues set polled_at = null where job_type = 'e-lost'")
    await engine.db.script(
      `update millrace.jobs set status = 'ready', visible_at = null, held_reason = null where instance_id = '${id}'`,
    )
    expect((await only(id))?.detail).toMatchObject({ lastPolledAt: expect.any(String) })
  })

  test("among jobs that take turns by key: its place in its own key", async () => {
    for (let n = 0; n < 5; n++) await enqueue("e-fair", { fairKey: "big" })
    const reason = await only(await enqueue("e-fair", { fairKey: "small" }))
    expect(reason).toMatchObject({ kind: "job-queued", detail: { fairKey: "small", position: 1 } })
    expect(reason?.detail.message).toContain("It is the next one of its key small. Keys take turns.")
  })

  test("behind a limit: how many are under way, and how many wait before it", async () => {
    const limit = { key: "tenant-7", max: 1 }
    await enqueue("e-limit", { limit })
    await worker.claimOne("e-limit")
    await enqueue("e-limit", { limit })
    const reason = await only(await enqueue("e-limit", { limit }))
    expect(reason).toMatchObject({ kind: "limit", detail: { limitKey: "tenant-7", max: 1, underWay: 1, position: 2 } })
  })

  test("for its time, and after a failure for its next attempt", async () => {
    const late = await only(await enqueue("e-late", { delayMs: 3_600_000 }))
    expect(late).toMatchObject({ kind: "scheduled", detail: { dueAt: expect.stringMatching(/Z$/) } })
    const id = await enqueue("e-retry")
    await worker.fail(await worker.claimOne("e-retry"), "no answer", true, 3_600_000)
    const retry = await only(id)
    expect(retry).toMatchObject({ kind: "retry", detail: { attempt: 1, failures: 1, maxAttempts: 6 } })
    expect(retry?.detail.message).toMatch(
      /^Failed at attempt 1 of 6: no answer; next attempt at \S+Z \(in \d+ (min|h)\)\.$/,
    )
  })

  test("one that has ended waits for nothing, one that never was is not found", async () => {
    const id = await enqueue("e-end")
    await worker.complete(await worker.claimOne("e-end"))
    expect(await explainJobWaiting(engine.kernel, id)).toEqual([])
    for (const stranger of ["01JN8Z3V5E8Q2R7W4Y6T9A1B3C", "01JN8Z3V5E8Q2R7W4Y6T9A1B3C-0001", "x"])
      await expect(explainJobWaiting(engine.kernel, stranger)).rejects.toMatchObject({ code: "not-found" })
  })
})
