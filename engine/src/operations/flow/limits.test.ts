// Limits of concurrency on a real database: whatever makes a job ready again, no more of its key run at once than the limit says.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { fillLimits } from "../../store/jobs/standalone-jobs.ts"
import { drive } from "../../test-support/drive.ts"
import { holdJobs } from "../../test-support/hold-rows.ts"
import { seeded } from "../../test-support/interleave.ts"
import { holdLoops, noTerm, sweepAll } from "../../test-support/loops.ts"
import { countRows, waitingForLocks } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { fills } from "./fill-limits.ts"
import { releaseJobs } from "./release-jobs.ts"

const LEASE_MS = 10_000
const LOCK_NOT_AVAILABLE = "55P03"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

let keys = 0

/** A key of its own for every test, and a job type of the same name. */
const newKey = () => `limited-${++keys}`

async function enqueue(key: string, more: object = {}): Promise<string> {
  const limit = { key, max: 1 }
  const request = { jobType: key, payload: {}, limit, whenFull: "refuse", actor: "test", ...more } as const
  return (await enqueueJob(engine.kernel, request)).job.id
}

const fill = (key: string) => fills(engine.kernel).submit(key)
const claim = (key: string) => worker.claim([key], 10, LEASE_MS)

/** All that can be claimed once the limit has been filled. */
async function claimFilled(key: string): Promise<readonly string[]> {
  await fill(key)
  return (await claim(key)).map(({ id }) => id)
}

test("a job that is tried again at once waits behind the next of its key", async () => {
  const key = newKey()
  const [first, second] = [await enqueue(key), await enqueue(key)]
  const job = await worker.claimOne(key, LEASE_MS)
  expect(job.id).toBe(first)
  expect(await worker.fail(job, "boom", true, 0)).toBe("accepted")
  expect(await claimFilled(key)).toEqual([second])
  expect(await claimFilled(key)).toEqual([])
})

test("so does one whose lease was lost", async () => {
  const key = newKey()
  const [, second] = [await enqueue(key), await enqueue(key)]
  await worker.claimOne(key, LEASE_MS)
  await engine.advanceClock(LEASE_MS + 1)
  await sweepAll(engine.kernel)
  expect(await claimFilled(key)).toEqual([second])
})

test("a job whose delay has passed waits while another of its key runs", async () => {
  const key = newKey()
  await enqueue(key)
  const running = await worker.claimOne(key, LEASE_MS)
  const delayed = await enqueue(key, { delayMs: 1_000 })
  await engine.advanceClock(1_001)
  await releaseJobs(engine.kernel, noTerm)
  expect(await claimFilled(key)).toEqual([])
  await worker.complete(running)
  expect(await claimFilled(key)).toEqual([delayed])
})

test("jobs that are ready count: calling once more lets no other go", async () => {
  const key = newKey()
  const first = await enqueue(key)
  await enqueue(key)
  await fill(key)
  await fill(key)
  expect((await claim(key)).map(({ id }) => id)).toEqual([first])
})

async function enqueueSome(key: string, count: number, priority: string): Promise<readonly string[]> {
  const ids: string[] = []
  while (ids.length < count) ids.push(await enqueue(key, { priority }))
  return ids
}

test("D-14: critical jobs of a key are before the normal ones that came first, and each priority keeps its order", async () => {
  const key = newKey()
  await enqueue(key)
  const normal = await enqueueSome(key, 40, "normal")
  const critical = await enqueueSome(key, 3, "critical")
  const order: string[] = []
  for (let turn = 0; turn < 30; turn++) {
    await fill(key)
    const job = await worker.claimOne(key, LEASE_MS)
    order.push(job.id)
    await worker.complete(job)
  }
  expect(order.filter((id) => critical.includes(id))).toEqual(critical)
  const others = order.filter((id) => normal.includes(id))
  expect(others).toEqual(normal.slice(0, others.length))
})

describe("D-14: the places of a limit by the weights of the priorities", () => {
  /** How many of each priority have a place, of a limit for which twenty of each wait. */
  async function places(weights: readonly number[], draws: readonly number[], max: number) {
    const key = newKey()
    const holder = await enqueue(key, { limit: { key, max: 1 } })
    for (const priority of ["normal", "high", "critical"]) await enqueueSome(key, 20, priority)
    // After the fills that the enqueues have asked for.
    await fill(key)
    await engine.db.script(`update millrace.limits set max = ${max} where key = '${key}';
      delete from millrace.jobs where instance_id = '${holder}'`)
    await engine.db.transaction((tx) => fillLimits(tx, { keys: [key], weights, draws }))
    const inQueues = (priority: string) => `queue_id in (select id from millrace.queues where priority = '${priority}')`
    const ready = (priority: string) =>
      countRows(engine.db, "jobs", `limit_key = '${key}' and status = 'ready' and ${inQueues(priority)}`)
    return Promise.all(["critical", "high", "normal"].map(ready))
  }

  test.each([
    ["several are dealt", [60, 30, 10], [1, 1, 1], 10, [6, 3, 1]],
    ["a single one is drawn", [60, 30, 10], [0.01, 0.5, 0.999], 1, [0, 0, 1]],
    ["a priority without weight has none while others wait", [100, 0, 0], [0.001, 1, 1], 20, [20, 0, 0]],
    ["and has what they leave, shared alike", [100, 0, 0], [0.001, 1, 1], 30, [20, 5, 5]],
  ])("%s", async (_, weights, draws, count, found) => {
    expect(await places(weights, draws, count)).toEqual(found)
  })
})

test("D-14: over many places every priority has its share, whichever draws come", async () => {
  const key = newKey()
  const waiting = new Map<string, readonly string[]>()
  await enqueue(key)
  for (const priority of ["normal", "high", "critical"]) waiting.set(priority, await enqueueSome(key, 30, priority))
  const { random } = engine.kernel
  onTestFinished(() => void Object.assign(engine.kernel, { random }))
  Object.assign(engine.kernel, { random: seeded(7) })
  const given: string[] = []
  while (given.length < 31) {
    await fill(key)
    const job = await worker.claimOne(key, LEASE_MS)
    given.push(job.id)
    await worker.complete(job)
  }
  const share = (priority: string) => given.filter((id) => waiting.get(priority)?.includes(id)).length
  const [critical, high, normal] = ["critical", "high", "normal"].map(share) as [number, number, number]
  expect(critical).toBeGreaterThan(high)
  expect(high).toBeGreaterThan(normal)
  expect(normal).toBeGreaterThan(0)
})

describe("S8: a caller's transaction that has set a limit, and stays open", () => {
  /** Returns what ends it. */
  async function setAndStay(key: string, change: string): Promise<() => Promise<void>> {
    const caller = await engine.db.dedicated()
    await caller.query("begin")
    await caller.query({ text: `update millrace.limits set ${change} where key = $1`, values: [key] })
    let isOpen = true
    const end = async () => {
      if (!isOpen) return
      isOpen = false
      await caller.query("commit")
      caller.release()
    }
    onTestFinished(end)
    return end
  }

  test.each([
    ["to another maximum", "max = 2", "0 s"],
    ["to what it was two hours ago", "set_at = millrace.clock()", "2 hours"],
  ])("%s, holds up neither the places of its key nor enqueues that do not change it", async (_, change, age) => {
    const key = newKey()
    await enqueue(key)
    const running = await worker.claimOne(key, LEASE_MS)
    const next = await enqueue(key)
    await engine.db.script(`update millrace.limits set set_at = set_at - interval '${age}' where key = '${key}'`)
    const end = await setAndStay(key, change)
    await enqueue(key)
    await worker.complete(running)
    expect(await claimFilled(key)).toContain(next)
    await end()
  })

  test("makes an enqueue that changes the limit too come back later", async () => {
    const key = newKey()
    await enqueue(key)
    const end = await setAndStay(key, "max = 2")
    await expect(enqueue(key, { limit: { key, max: 3 } })).rejects.toMatchObject({ code: LOCK_NOT_AVAILABLE })
    await end()
    await enqueue(key, { limit: { key, max: 3 } })
  })
})

test("D-14: a waiting job that another transaction holds is passed over, and the next one has the place", async () => {
  const key = newKey()
  await enqueue(key)
  const running = await worker.claimOne(key, LEASE_MS)
  const [held, next] = [await enqueue(key), await enqueue(key)]
  const letGo = await holdJobs(engine.db, [held])
  await worker.complete(running)
  expect(await claimFilled(key)).toEqual([next])
  await letGo()
})

test("two transactions that fill one limit at the same time let one job go, not two", async () => {
  const key = newKey()
  await enqueue(key)
  const running = await worker.claimOne(key, LEASE_MS)
  await Promise.all([enqueue(key), enqueue(key)])
  const other = await engine.db.dedicated()
  await other.query("begin")
  await other.query(`delete from millrace.jobs where instance_id = '${running.id}'`)
  await other.query({ text: "select from millrace.fill_limits($1)", values: [[key]] })
  const filled = fill(key)
  await expect.poll(() => waitingForLocks(engine.db)).toBe(1)
  await other.query("commit")
  other.release()
  await filled
  expect(await claim(key)).toHaveLength(1)
  expect(await claimFilled(key)).toEqual([])
})
