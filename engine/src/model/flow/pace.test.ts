// The pace in the model: what a downstream is given over time, in any number of portions, and how it slows and recovers.
import fc from "fast-check"
import { expect, test } from "vitest"
import { allowanceOf, LEAST_SHARE, type Pace, RECOVERY_PER_SECOND, SLOWER_BY, shareNow } from "./pace.ts"

const open: Pace = {
  perSecond: null,
  concurrency: null,
  share: 1,
  slowedMsAgo: 1e9,
  savedMs: 1e9,
  closedMs: -1,
  inFlight: 0,
}

/** Claims of up to `batch` whenever the last one said it is worth it, or a little later. */
function given(perSecond: number, batch: number, seconds: number, lateMs: (n: number) => number): number[] {
  const times: number[] = []
  let spentUntil = 0
  for (let now = 0, n = 0; now < seconds * 1_000; n++) {
    const { count, costMs, sliceMs, againMs } = allowanceOf({ ...open, perSecond, savedMs: now - spentUntil }, batch)
    if (count > 0) spentUntil = Math.max(spentUntil, now - sliceMs) + count * costMs
    for (let k = 0; k < count; k++) times.push(now)
    // Whoever has taken as many as he could comes again at once.
    now += count === batch ? 0.05 : againMs + lateMs(n)
  }
  return times
}

test.each([1, 3, 7, 20, 50, 500, 5_000])(
  "%i per second holds within 5 % at any batch size, with claims a little late",
  (perSecond) => {
    for (const batch of [1, 10, 100, 1_000]) {
      const seconds = Math.max(20, 60 / perSecond)
      const times = given(perSecond, batch, seconds, (n) => (n % 7) * 1.5)
      expect(Math.abs(times.length / (perSecond * seconds) - 1)).toBeLessThan(0.05)
    }
  },
)

test("never more in any stretch of time than the rate and one slice", () => {
  const rate = fc.integer({ min: 1, max: 2_000 })
  fc.assert(
    fc.property(rate, fc.integer({ min: 1, max: 300 }), fc.nat(40), (perSecond, batch, late) => {
      const times = given(perSecond, batch, 5, (n) => (n * 13) % (late + 1))
      const slice = Math.max(1, perSecond * 0.1) + perSecond * 0.05
      for (let from = 0; from < times.length; from += 7) {
        const within = times.filter((at) => at >= (times[from] as number) && at < (times[from] as number) + 1_000)
        expect(within.length).toBeLessThanOrEqual(Math.ceil(perSecond + slice) + 1)
      }
    }),
    { numRuns: 60 },
  )
})

test("a claim that takes as many as it wants leaves the downstream alone for no longer than the rate asks", () => {
  const { count, againMs } = allowanceOf({ ...open, perSecond: 500, savedMs: 1_000 }, 10)
  expect(count).toBe(10)
  expect(againMs).toBeLessThanOrEqual(1)
})

test("places in flight bound what is given; a downstream that asked to be left alone is", () => {
  expect(allowanceOf({ ...open, concurrency: 5, inFlight: 3 }, 10).count).toBe(2)
  expect(allowanceOf({ ...open, concurrency: 5, inFlight: 9 }, 10).count).toBe(0)
  expect(allowanceOf({ ...open, concurrency: 5, closedMs: 4_000 }, 10)).toMatchObject({ count: 0, againMs: 4_000 })
})

test("additive increase, multiplicative decrease: halved by each push-back, whole again by itself", () => {
  let share = 1
  for (let n = 0; n < 10; n++) share = Math.max(LEAST_SHARE, share * SLOWER_BY)
  expect(share).toBe(LEAST_SHARE)
  expect(shareNow({ share: 0.5, slowedMsAgo: 0 })).toBe(0.5)
  expect(shareNow({ share: 0.5, slowedMsAgo: 10_000 })).toBeCloseTo(0.5 + 10 * RECOVERY_PER_SECOND)
  expect(shareNow({ share: 0.5, slowedMsAgo: 60_000 })).toBe(1)
  expect(allowanceOf({ ...open, concurrency: 10, share: 0.5, slowedMsAgo: 0 }, 100).count).toBe(5)
  expect(allowanceOf({ ...open, concurrency: 1, share: 0.01, slowedMsAgo: 0 }, 100).count).toBe(1)
})

test("however long nothing was claimed, no burst is larger than one slice", () => {
  for (const savedMs of [150, 1_000, 3_600_000])
    expect(allowanceOf({ ...open, perSecond: 100, savedMs }, 1_000).count).toBe(15)
})
