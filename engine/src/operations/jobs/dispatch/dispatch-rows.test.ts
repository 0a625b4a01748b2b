// The rows of dispatches beside those of their jobs: one that was made for an earlier claim says nothing about the next.
import { afterAll, beforeAll, expect, test } from "vitest"
import { holdDispatched, insertDispatches, listUnpublished, markPublished } from "../../../store/jobs/dispatches.ts"
import { releasePassed } from "../../../store/jobs/published-dispatches.ts"
import { drive } from "../../../test-support/drive.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { countRows, jobRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

let types = 0

/** Claimed twice, with a dispatch of the first claim or of the second. */
async function dispatched(epoch: 1 | 2) {
  const job_type = `dispatched-${++types}`
  const request = { jobType: job_type, payload: {}, whenFull: "refuse", actor: "test" } as const
  const { job } = await enqueueJob(engine.kernel, request)
  await drive(engine.kernel).claimOne(job_type)
  await engine.db.script(`update millrace.jobs set epoch = 2 where instance_id = '${job.id}'`)
  const key = { instance_id: job.id, execution: 0, epoch }
  await engine.db.transaction(async (tx) => insertDispatches(tx, [{ ...key, dedup_id: job.id, job_type }]))
  return { key, job_type }
}

test("S7: a dispatch of an earlier claim is listed without the token of the next", async () => {
  const [old, own] = [await dispatched(1), await dispatched(2)]
  const rows = await listUnpublished(engine.db, 10)
  const tokenOf = (id: string) => rows.find(({ instance_id }) => instance_id === id)?.nonce
  expect(tokenOf(old.key.instance_id)).toBeNull()
  expect(tokenOf(own.key.instance_id)).toEqual(expect.any(String))
})

test("S6: a dispatch that failed takes the job back from the claim that it was made for, and from no other", async () => {
  for (const [epoch, status] of [
    [1, "leased"],
    [2, "held"],
  ] as const) {
    const { key } = await dispatched(epoch)
    const asked = [{ ...key, reason: "no broker", delay_ms: 1_000 }]
    await engine.db.transaction(async (tx) => holdDispatched(tx, asked))
    expect(await jobRows(engine.db, key.instance_id)).toMatchObject([{ status }])
    expect(await countRows(engine.db, "dispatches", `instance_id = '${key.instance_id}'`)).toBe(0)
  }
})

test("S6: a message is released when its consumers have passed it, and not while it is the next that they read", async () => {
  const { key, job_type } = await dispatched(2)
  await engine.db.transaction(async (tx) => markPublished(tx, [{ ...key, partition: 0, log_offset: 5 }]))
  const left = async (offset: number) => {
    await engine.db.transaction((tx) => releasePassed(tx, [{ jobType: job_type, partition: 0, offset }], 10))
    return countRows(engine.db, "dispatches", `instance_id = '${key.instance_id}'`)
  }
  expect(await left(5)).toBe(1)
  expect(await left(6)).toBe(0)
})
