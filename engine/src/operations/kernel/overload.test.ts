// Many times more work than there is room for, and what is left of that when it is over.
import { afterAll, beforeAll, expect, test } from "vitest"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { examine } from "../upkeep/doctor.ts"
import { asEngineError } from "./run-operation.ts"

const ROOM = 200
const TIMES = 10
const WAVES = 5

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine({ WE_HIGH_WATERMARK: String(ROOM), WE_LOW_WATERMARK: String(ROOM / 2) })
})
afterAll(() => engine.close())

const isRefusal = (told: unknown): boolean =>
  ["backpressure", "unavailable"].includes((told as { readonly code?: string }).code ?? "")

/** What each of so many callers at once is told: an id, or why not. */
const enqueue = (count: number): Promise<readonly unknown[]> =>
  Promise.all(
    Array.from({ length: count }, () => {
      const request = { jobType: "mail", payload: {}, whenFull: "refuse", actor: "local" } as const
      return enqueueJob(engine.kernel, request).then(({ job }) => job.id, asEngineError)
    }),
  )

/** Until nothing is ready: how many jobs there were. */
async function workAll(): Promise<number> {
  const worker = drive(engine.kernel)
  let done = 0
  for (;;) {
    const jobs = await worker.claim(["mail"], 100)
    if (jobs.length === 0) return done
    expect(await Promise.all(jobs.map((job) => worker.complete(job)))).toEqual(jobs.map(() => "accepted"))
    done += jobs.length
  }
}

/** As many callers as there is room for: all are taken, and all of that is done. */
async function expectServed(): Promise<void> {
  const told = await enqueue(ROOM / 2)
  expect(told.filter((one) => typeof one !== "string")).toEqual([])
  expect(await workAll()).toBe(told.length)
}

test("L6, L5, S1: ten times more jobs than there is room for are taken or refused; once they are done all are taken again, without a restart", async () => {
  await expectServed()
  let taken = 0
  let done = 0
  for (let wave = 0; wave < WAVES; wave++) {
    const told = await enqueue(TIMES * ROOM)
    expect(told.filter((one) => typeof one !== "string" && !isRefusal(one))).toEqual([])
    expect(told.some(isRefusal)).toBe(true)
    taken += told.filter((one) => typeof one === "string").length
    done += await workAll()
  }
  expect(done).toBe(taken)
  const probe = async () => typeof (await enqueue(1))[0] === "string"
  await expect.poll(probe).toBe(true)
  await workAll()
  await expectServed()
  expect(engine.db.pool.waiting).toBe(0)
  expect(await examine(engine.kernel, { kinds: ["state", "audit"] })).toEqual([])
})
