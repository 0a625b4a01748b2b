// What follows the failure of a standalone job.
import { expect, test } from "vitest"
import { LEASE_MS, planFailure, planLost, RETRY_PRESETS, retryPolicyOf } from "./standalone-job.ts"

const jittered = (retriesLeft: number) => ({ retriesLeft, lostLeases: 0, policy: RETRY_PRESETS.jittered })
const boom = { message: "boom", retryable: true }

test("D-20, D-T9, D-X11: ceilings of 1, 2, 4, 8 and 16 s, any part of them by full jitter, never above a minute", () => {
  const ceilings = [5, 4, 3, 2, 1].map((left) => planFailure(jittered(left), boom, () => 1))
  expect(ceilings.map((after) => after.kind === "retry" && after.delayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000])
  expect(planFailure(jittered(5), boom, () => 0)).toMatchObject({ delayMs: 0 })
  const long = { retriesLeft: 1, lostLeases: 0, policy: retryPolicyOf("jittered", 30) }
  expect(planFailure(long, boom, () => 1)).toMatchObject({ delayMs: 60_000 })
})

test("B-07, B-14, B-T4: by minutes it is 1, 2 and 4 minutes, then the dead letters", () => {
  const policy = RETRY_PRESETS.minutes
  const delays = [3, 2, 1].map((retriesLeft) => planFailure({ retriesLeft, lostLeases: 0, policy }, boom, Math.random))
  expect(delays).toMatchObject([{ delayMs: 60_000 }, { delayMs: 120_000 }, { delayMs: 240_000 }])
  expect(planFailure({ retriesLeft: 0, lostLeases: 0, policy }, boom, Math.random)).toEqual({
    kind: "dead",
    reason: "exhausted",
    error: "boom (after 3 retries)",
  })
})

test("B-13: what another try cannot help is not tried again", () => {
  expect(planFailure(jittered(5), { message: "no address", retryable: false }, Math.random)).toMatchObject({
    kind: "dead",
    reason: "not-retryable",
    error: "no address",
  })
})

test("S9: lost leases are counted apart from retries, and bounded", () => {
  expect(planLost({ ...jittered(0), lostLeases: 2 }, 3)).toEqual({
    kind: "retry",
    delayMs: 0,
    retriesLeft: 0,
    lostLeases: 3,
  })
  expect(planLost({ ...jittered(5), lostLeases: 3 }, 3)).toMatchObject({ kind: "dead", reason: "worker-lost" })
  expect(planLost({ ...jittered(5), lostLeases: 3 }, 3, false)).toMatchObject({ kind: "retry", lostLeases: 3 })
})

test("D-T13: leases are 30, 60 and 120 s, the shortest for the most urgent", () => {
  expect(LEASE_MS).toEqual({ critical: 30_000, high: 60_000, normal: 120_000 })
})
