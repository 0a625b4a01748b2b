import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { explainJobWaiting } from "../instances/explain-waiting.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { deleteDownstream, getDownstream, listDownstreams, setDownstream } from "./change-downstreams.ts"

const operator = { actor: "anna" }
const NONE = { perSecond: null, concurrency: null, adaptive: false }
let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
})
afterAll(() => engine.close())

const set = (name: string, limits: object) => setDownstream(engine.kernel, operator, { name, ...NONE, ...limits })
async function enqueue(downstream: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const request = { jobType: downstream, payload: {}, downstream, whenFull: "refuse", actor: "local" } as const
    ids.push((await enqueueJob(engine.kernel, request)).job.id)
  }
  return ids
}

describe("a downstream", () => {
  test("shows its limits, who set them, what is in flight and what waits", async () => {
    await set("mail", { perSecond: 10, concurrency: 2 })
    await enqueue("mail", 3)
    expect(await worker.claim(["mail"])).not.toEqual([])
    const { inFlight, waiting, ...view } = await getDownstream(engine.kernel, "mail")
    expect([inFlight > 0, inFlight + waiting]).toEqual([true, 3])
    expect(view).toEqual({
      name: "mail",
      perSecond: 10,
      effectivePerSecond: 10,
      concurrency: 2,
      adaptive: false,
      share: 1,
      waitingIsExact: true,
      changedAt: expect.any(String),
      changedBy: "anna",
    })
  })

  test("shows what is left of its pace after it pushed back, and how that comes back", async () => {
    await set("touchy", { perSecond: 10, adaptive: true })
    await engine.db.script(
      "update millrace.downstreams set share = 0.5, slowed_at = millrace.clock() where name = 'touchy'",
    )
    const slow = await getDownstream(engine.kernel, "touchy")
    expect(slow.share).toBeGreaterThanOrEqual(0.5)
    expect(slow.share).toBeLessThan(1)
    expect(slow.effectivePerSecond).toBeCloseTo(slow.share * 10, 1)
    expect(slow.slowedAt).toMatch(/Z$/)
    await engine.advanceClock(30_000)
    expect(await getDownstream(engine.kernel, "touchy")).toMatchObject({ share: 1, effectivePerSecond: 10 })
  })

  test("keeps what it has learnt when the same limits are set again, and forgets it with adaptive off", async () => {
    await set("learnt", { perSecond: 10, adaptive: true })
    await engine.db.script(
      "update millrace.downstreams set share = 0.1, slowed_at = millrace.clock() where name = 'learnt'",
    )
    await set("learnt", { perSecond: 10, adaptive: true })
    expect((await getDownstream(engine.kernel, "learnt")).share).toBeLessThan(0.5)
    const noted = await engine.db.script("select from millrace.changes where name = 'learnt'")
    expect(noted).toHaveLength(1)
    await set("learnt", { perSecond: 10 })
    expect((await getDownstream(engine.kernel, "learnt")).share).toBe(1)
  })

  test("that jobs have named is listed without limits too; its limits can be lifted, twice", async () => {
    await enqueue("unlimited", 1)
    expect(await getDownstream(engine.kernel, "unlimited")).toMatchObject({ adaptive: false, share: 1, waiting: 1 })
    await set("lifted", { concurrency: 1 })
    for (let n = 0; n < 2; n++) await deleteDownstream(engine.kernel, operator, "lifted")
    expect((await listDownstreams(engine.kernel)).map(({ name }) => name)).not.toContain("lifted")
    await expect(getDownstream(engine.kernel, "lifted")).rejects.toMatchObject({ code: "not-found" })
  })

  test("is counted to a thousand, and says when there are more", async () => {
    await enqueue("deep", 1)
    await engine.db.script(`insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at)
      select 'deep-' || n, 0, j.queue_id, 'ready', nextval('millrace.job_seq'), 'deep', 0, millrace.clock()
      from generate_series(1, 1500) n, millrace.jobs j where j.step_id = 'deep'`)
    expect(await getDownstream(engine.kernel, "deep")).toMatchObject({ waiting: 1_000, waitingIsExact: false })
  })
})

describe("why a job waits", () => {
  test("for the pace of its downstream: its place, the rate, and when its turn is expected", async () => {
    await set("paced", { perSecond: 0.5 })
    const ids = await enqueue("paced", 4)
    const before = engine.kernel.clock.nowMs()
    const [reason] = await explainJobWaiting(engine.kernel, ids[3] as string)
    const after = engine.kernel.clock.nowMs()
    expect(reason).toMatchObject({ kind: "pace", detail: { downstream: "paced", position: 4, perSecond: 0.5 } })
    // Four of them at one in two seconds.
    const expectedAt = Date.parse(reason?.detail.expectedAt as string)
    expect(expectedAt).toBeGreaterThanOrEqual(Math.floor(before) + 8_000)
    expect(expectedAt).toBeLessThanOrEqual(Math.ceil(after) + 8_000)
    expect(reason).not.toHaveProperty("stepId")
  })

  test("for a place in flight: how many there are", async () => {
    await set("narrow", { concurrency: 1 })
    const [, second] = await enqueue("narrow", 2)
    await worker.claimOne("narrow")
    const [reason] = await explainJobWaiting(engine.kernel, second as string)
    expect(reason).toMatchObject({ kind: "pace", detail: { downstream: "narrow", inFlight: 1, concurrency: 1 } })
    expect(reason?.detail).not.toHaveProperty("expectedAt")
  })
})
