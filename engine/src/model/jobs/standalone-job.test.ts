// What a standalone job is given by default.
import { expect, test } from "vitest"
import { LEASE_MS, RETRY_PRESETS, retryPolicyOf } from "./standalone-job.ts"

test("a preset is taken by its name, a policy as it is, either with the caller's own number of retries", () => {
  const own = { retries: 2, baseMs: 10, factor: 3, capMs: 100, jitter: "none" } as const
  expect(retryPolicyOf("minutes", undefined)).toBe(RETRY_PRESETS.minutes)
  expect(retryPolicyOf("jittered", 30)).toEqual({ ...RETRY_PRESETS.jittered, retries: 30 })
  expect(retryPolicyOf(own, undefined)).toBe(own)
  expect(retryPolicyOf(own, 0)).toEqual({ ...own, retries: 0 })
})

test("D-T13: leases are 30, 60 and 120 s, the shortest for the most urgent", () => {
  expect(LEASE_MS).toEqual({ critical: 30_000, high: 60_000, normal: 120_000 })
})
