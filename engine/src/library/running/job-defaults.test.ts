// What `job()` says once holds for all jobs of the type, whoever enqueues them.

import { afterAll, beforeAll, expect, test } from "vitest"
import { liveSettingsOf } from "../../operations/flow/live-settings.ts"
import { enqueueJob } from "../../operations/jobs/enqueue/enqueue-job.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { downstream } from "../authoring/downstream.ts"
import { job } from "../authoring/job.ts"

let mills: Mills
beforeAll(async () => {
  mills = await openMills()
})
afterAll(() => mills.close())

const row = async (id: string) => {
  const [row] = await mills.tables.script(
    `select q.priority, j.downstream, j.retries_left from millrace.jobs j join millrace.queues q on q.id = j.queue_id where j.instance_id = '${id}'`,
  )
  return row
}
const enqueue = (more: object = {}) =>
  enqueueJob(mills.kernel, { jobType: "charge", payload: {}, whenFull: "absorb", actor: "a route", ...more })

test("downstream, priority, retries and timeout of the type; what a job says for itself goes before", async () => {
  const stripe = downstream("stripe", { perSecond: 5, concurrency: 2 })
  const charge = job("charge", () => undefined, { downstream: stripe, priority: "high", retries: 2, timeout: 5_000 })
  await (await mills.mill.work([charge])).stop()
  const { job: plain } = await enqueue()
  expect(await row(plain.id)).toEqual({ priority: "high", downstream: "stripe", retries_left: 2 })
  const { job: own } = await enqueue({ priority: "critical", retries: 9 })
  expect(await row(own.id)).toEqual({ priority: "critical", downstream: "stripe", retries_left: 9 })
  expect(liveSettingsOf(mills.kernel).timeoutMs("charge")).toBe(5_000)
})

test("a worker that no longer says so takes it back", async () => {
  await (await mills.mill.work([job("charge", () => undefined)])).stop()
  const { job: plain } = await enqueue()
  expect(await row(plain.id)).toEqual({ priority: "normal", downstream: null, retries_left: 5 })
})

test("F68: a repeat of a key is one before and after a deploy that says something else of the type", async () => {
  const type = (retries: number) =>
    job("load", () => undefined, { retries, retry: { base: "200ms" }, priority: "high" })
  const items = [{ payload: {}, key: "b", fairKey: "big" }]
  const load = async (type: string | ReturnType<typeof job>) => [
    await mills.mill.enqueue(type, {}, { key: "a" }),
    ...(await mills.mill.enqueueMany(items.map((item) => ({ type, ...item })))),
  ]
  const ids = (await load("load")).map(({ id }) => id)
  await (await mills.mill.work([type(1)])).stop()
  for (const again of ["load", type(1), type(2)])
    expect(await load(again)).toEqual(ids.map((id) => ({ id, isRepeat: true })))
  await expect(mills.mill.enqueue(type(2), {}, { key: "a", retries: 3 })).rejects.toMatchObject({
    code: "idempotency-mismatch",
  })
})
