// The pace of a downstream is read by the model and written by statements: on the same numbers both say the same.
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { allowanceOf, LEAST_SHARE, SLOWER_BY, shareNow } from "../../model/flow/pace.ts"
import { lockPaces, spendPaces } from "../../store/jobs/claims.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { waitingForLocks } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { setDownstream } from "./change-downstreams.ts"
import { slowDown } from "./slow-down.ts"

const NAME = "mail"

let engine: TestEngine
let jobId: string

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  const limits = { name: NAME, perSecond: 50, concurrency: null, adaptive: true }
  await setDownstream(engine.kernel, { actor: "test" }, limits)
  const request = { jobType: "paced", payload: {}, downstream: NAME, whenFull: "refuse", actor: "test" } as const
  jobId = (await enqueueJob(engine.kernel, request)).job.id
  await drive(engine.kernel).claimOne("paced")
})
afterAll(() => engine.close())

const readPace = async () => {
  const [row] = await engine.db.transaction((tx) => lockPaces(tx, [NAME], true))
  return row as NonNullable<typeof row>
}
const ago = (ms: number) => `millrace.clock() - ${ms} * interval '1 ms'`

test("two claims that read one pace wait for each other: neither spends what the other has", async () => {
  let second: Promise<unknown> = Promise.resolve()
  const order: string[] = []
  await engine.db.transaction(async (tx) => {
    await lockPaces(tx, [NAME], true)
    second = readPace().then(() => order.push("second"))
    await expect.poll(async () => order.length > 0 || (await waitingForLocks(engine.db)) === 1).toBe(true)
    order.push("first")
  })
  await second
  expect(order).toEqual(["first", "second"])
})

test("a push-back shrinks what the model says is left, at most once a second and never to nothing", async () => {
  const slowed = fc.record({
    share: fc.double({ min: LEAST_SHARE, max: 1, noNaN: true }),
    slowedMsAgo: fc.oneof(fc.constantFrom(0, 999, 1_000, 1_001), fc.integer({ min: 0, max: 60_000 })),
    pushes: fc.integer({ min: 1, max: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(slowed, async ({ share, slowedMsAgo, pushes }) => {
      await engine.db.script(`update millrace.downstreams set share = ${share}, slowed_at = ${ago(slowedMsAgo)}`)
      const push = { key: { kind: "standalone", id: jobId }, closedMs: 0 } as const
      for (let n = 0; n < pushes; n++) await slowDown(engine.kernel, [push])
      const isSlowed = slowedMsAgo > 1_000
      const expected = isSlowed ? Math.max(LEAST_SHARE, shareNow({ share, slowedMsAgo }) * SLOWER_BY) : share
      expect((await readPace()).share).toBeCloseTo(expected, 6)
    }),
    { numRuns: 60, seed: 23 },
  )
})

test("what a claim has spent is missing from the next allowance, and no more than one slice is saved up", async () => {
  const spent = fc.record({ savedMs: fc.integer({ min: -200, max: 5_000 }), wanted: fc.integer({ min: 0, max: 20 }) })
  const pace = { perSecond: 50, concurrency: null, share: 1, slowedMsAgo: 0, closedMs: 0, inFlight: 0 }
  await fc.assert(
    fc.asyncProperty(spent, async ({ savedMs, wanted }) => {
      await engine.db.script(`update millrace.downstreams set share = 1, spent_until = ${ago(savedMs)}`)
      const { count, costMs, sliceMs } = allowanceOf({ ...pace, savedMs }, wanted)
      await engine.db.transaction(async (tx) => spendPaces(tx, [{ name: NAME, sliceMs, spentMs: count * costMs }]))
      const left = (await readPace()).saved_ms
      expect(left).toBeCloseTo(Math.min(savedMs, sliceMs) - count * costMs, 1)
      const next = allowanceOf({ ...pace, savedMs: left }, 1_000)
      expect(count + next.count).toBe(allowanceOf({ ...pace, savedMs }, 1_000).count)
    }),
    { numRuns: 60, seed: 24 },
  )
})
