// Backpressure from the door to the fold, on a real database: a wave of jobs, what is refused, and what must never be.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { listSymptoms } from "../../../store/upkeep/doctor.ts"
import { createLogger } from "../../../support/log.ts"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { advanceClock, stopClock } from "../../../test-support/database-clock.ts"
import { drive } from "../../../test-support/drive.ts"
import { noTerm, sweepAll } from "../../../test-support/loops.ts"
import { countRows } from "../../../test-support/rows.ts"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import { DepthFolder } from "../../flow/fold-depths.ts"
import { gatesOf } from "../../flow/gates.ts"
import { readDepths } from "../../flow/read-depths.ts"
import { releaseJobs } from "../../flow/release-jobs.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { enqueueJob } from "./enqueue-job.ts"
import { enqueueMany } from "./enqueue-many.ts"
import type { EnqueueRequest } from "./enqueue-request.ts"

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel
let folder: DepthFolder
let turns: unknown[]

beforeAll(async () => {
  database = await createTestDatabase()
  const write = (line: string) => void turns.push((JSON.parse(line) as { depth?: number }).depth)
  kernel = { ...(await createBareKernel(database.dsn)), log: createLogger({ level: "info", destination: { write } }) }
  await stopClock(kernel)
  await kernel.db.script("update millrace.gates set high = 20, low = 5 where name = 'normal'")
})
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})
beforeEach(async () => {
  turns = []
  await kernel.db.script(
    "truncate millrace.jobs, millrace.depth_deltas, millrace.depths; update millrace.gates set live = 0, shut = false",
  )
  folder = new DepthFolder(kernel)
  await fold()
})

const fold = () => folder.fold(noTerm)
const depth = async () => (await readDepths(kernel)).priorities.normal.depth

/** Whether it was taken. */
async function submit(): Promise<boolean> {
  const request = { jobType: "email", payload: {}, whenFull: "refuse", actor: "local" } as const
  const outcome = await enqueueJob(kernel, request).catch((error) => error)
  if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "backpressure", retryAfterSeconds: 5 })
  return !(outcome instanceof Error)
}

async function finishOne(): Promise<void> {
  const worker = drive(kernel)
  await worker.complete(await worker.claimOne("email"))
  await fold()
}

test("S21, F60, D-12: a square wave turns the gate twice in a cycle, refusals leave no row, and the depth is the true count", async () => {
  for (let cycle = 0; cycle < 3; cycle++) {
    while (await submit()) await fold()
    expect(await countRows(kernel.db, "jobs")).toBe(20)
    for (let n = 20; n > 5; n--) {
      await finishOne()
      expect(await submit()).toBe(false)
    }
    expect([await depth(), await countRows(kernel.db, "jobs")]).toEqual([5, 5])
    await finishOne()
    expect(await submit()).toBe(true)
    expect(await listSymptoms(kernel.db, "depthCounters", "", 10)).toEqual([])
  }
  expect(turns).toEqual([20, 4, 20, 4, 20, 4])
  expect(await kernel.metrics.backpressureRejections.get()).toMatchObject({ values: [{ value: 48 }] })
})

test("S21, L5: what is refused here is known without a question, until the fold opens the gate", async () => {
  while (await submit());
  expect(gatesOf(kernel).isShut("normal")).toBe(true)
  for (let n = 0; n < 16; n++) await finishOne()
  expect(gatesOf(kernel).isShut("normal")).toBe(false)
})

test("F61, D-X4: retries and jobs of lost workers come back while the gate is shut, and none is lost", async () => {
  const worker = drive(kernel)
  while (await submit());
  await fold()
  const [failing, silent] = await worker.claim(["email"], 2)
  if (!failing || !silent) throw new Error("no jobs")
  await worker.fail(failing, "busy", true, 1_000)
  await advanceClock(kernel, 31_000)
  await sweepAll(kernel)
  await advanceClock(kernel, 60_000)
  await releaseJobs(kernel, noTerm)
  await fold()
  expect(await countRows(kernel.db, "jobs", "status = 'ready'")).toBe(20)
  expect([await depth(), await submit()]).toEqual([20, false])
})

test("S21: a job that is refused leaves no limit behind, and changes none; a repeat is told of its job, full or not", async () => {
  const base = { jobType: "email", payload: {}, whenFull: "refuse", actor: "local" } as const
  const { job } = await enqueueJob(kernel, { ...base, key: "first", limit: { key: "shared", max: 1 } })
  while (await submit());
  for (const limit of [
    { key: "mine", max: 1 },
    { key: "shared", max: 99 },
  ]) {
    gatesOf(kernel).heardAll([])
    await expect(enqueueJob(kernel, { ...base, limit })).rejects.toMatchObject({ code: "backpressure" })
  }
  expect(await kernel.db.script("select key, max from millrace.limits order by 1")).toEqual([{ key: "shared", max: 1 }])
  expect(gatesOf(kernel).isShut("normal")).toBe(true)
  const again = { ...base, key: "first", limit: { key: "shared", max: 1 } }
  expect(await enqueueJob(kernel, again)).toMatchObject({ isRepeat: true, job: { id: job.id } })
  await expect(enqueueJob(kernel, { ...base, key: "new" })).rejects.toMatchObject({ code: "backpressure" })
  expect(await kernel.db.script("select key from millrace.job_keys where key = 'new'")).toEqual([])
})

test.each(["normal", "total"])(
  "D-X12: the %s gate refuses every kind of job, also where the process has not heard of it",
  async (gate) => {
    await kernel.db.script(`update millrace.gates set live = 100_000, shut = true where name = '${gate}'`)
    const kinds = [{}, { delayMs: 1_000 }, { key: `refused-${gate}` }, { fairKey: "tenant" }]
    for (const kind of kinds) {
      gatesOf(kernel).heardAll([])
      const request = { jobType: "email", payload: {}, whenFull: "refuse", actor: "local", ...kind } as const
      await expect(enqueueJob(kernel, request)).rejects.toMatchObject({ code: "backpressure" })
    }
    gatesOf(kernel).heardAll([])
    expect(await countRows(kernel.db, "jobs")).toBe(0)
  },
)

describe("many at once", () => {
  const email = (more: Partial<EnqueueRequest> = {}): EnqueueRequest => ({
    jobType: "email",
    payload: {},
    whenFull: "refuse",
    actor: "local",
    ...more,
  })
  const many = (n: number) => Array.from({ length: n }, () => email())

  test("D-12: a bulk that begins below the mark is taken whole, in however many statements; the next is refused whole", async () => {
    const jobs = await enqueueMany(kernel, many(2_500))
    expect([new Set(jobs.map(({ job }) => job.id)).size, await countRows(kernel.db, "jobs")]).toEqual([2_500, 2_500])
    await fold()
    await expect(enqueueMany(kernel, many(2_500))).rejects.toMatchObject({
      code: "backpressure",
      message: expect.stringMatching(/nothing was stored/),
    })
    expect(await countRows(kernel.db, "jobs")).toBe(2_500)
  })

  test("D-12: where one priority of a bulk has no room, none of the others is taken", async () => {
    while (await submit()) await fold()
    const critical = Array.from({ length: 1_500 }, () => email({ priority: "critical" }))
    await expect(enqueueMany(kernel, [...critical, email()])).rejects.toMatchObject({ code: "backpressure" })
    expect(await countRows(kernel.db, "jobs", "true")).toBe(20)
  })

  test("their handles are in the order of the payloads", async () => {
    const requests = Array.from({ length: 2_100 }, (_, n) =>
      email({ payload: { n }, priority: n % 2 ? "high" : "normal" }),
    )
    const jobs = await enqueueMany(kernel, requests)
    expect(jobs.map(({ job }) => JSON.parse(job.payload as string).n)).toEqual(requests.map((_, n) => n))
  })

  test("S1, D-12: what is stored of jobs with keys is told with the first that is not", async () => {
    await enqueueJob(kernel, email({ key: "taken", payload: { n: 1 } }))
    const keyed = [email({ key: "a" }), email({ key: "taken", payload: { n: 2 } }), email({ key: "b" })]
    await expect(enqueueMany(kernel, keyed)).rejects.toMatchObject({
      code: "idempotency-mismatch",
      message: expect.stringMatching(/^2 of the 3 jobs are stored\. The first that is not: .*taken/),
    })
    expect(await countRows(kernel.db, "jobs")).toBe(3)
  })
})
