// What a stream keeps of jobs that were not started, and for how long.
import { beforeEach, expect, test } from "vitest"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { ManualClock } from "../../../test-support/manual-clock.ts"
import { type Sent, UnstartedJobs } from "./unstarted-jobs.ts"

let clock: ManualClock
beforeEach(() => {
  clock = new ManualClock()
})

const job = (id: string, leaseMs = 30_000) =>
  ({ id, leaseToken: `1.${id}`, jobType: "a", variables: "{}", lockExpiresAt: leaseMs }) as unknown as ClaimedJob

function watch() {
  const late: string[][] = []
  const unstarted: UnstartedJobs = new UnstartedJobs((jobs) => {
    late.push(jobs.map(({ id }) => id))
    unstarted.drop(jobs)
  }, clock)
  return { late, unstarted }
}

test("of a job only what it takes to give it back is kept, without its variables", () => {
  const { unstarted } = watch()
  unstarted.add([job("x")], 0)
  expect(unstarted.jobs).toEqual<Sent[]>([{ id: "x", leaseToken: "1.x", jobType: "a" }])
})

test("a job whose lease is nearly over is told once", () => {
  const { late, unstarted } = watch()
  unstarted.add([job("short", 10_000), job("long"), job("started", 10_000)], 0)
  unstarted.started("started", "1.started")
  clock.advance(8_999)
  expect([late, unstarted.size]).toEqual([[], 2])
  clock.advance(1)
  expect([late, unstarted.size]).toEqual([[["short"]], 1])
  clock.advance(18_000)
  expect([late, unstarted.size]).toEqual([[["short"], ["long"]], 0])
  expect(clock.waiting).toBe(0)
})

test("no more are kept than there can be credit for: the oldest are told early", () => {
  const { late, unstarted } = watch()
  for (let at = 0; at < 10_001; at++) unstarted.add([job(`j${at}`)], 0)
  expect(unstarted.size).toBeLessThanOrEqual(10_000)
  expect(late).toHaveLength(1)
  expect(late[0]?.slice(0, 2)).toEqual(["j0", "j1"])
  unstarted.stop()
})
