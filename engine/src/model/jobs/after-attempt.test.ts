// What becomes of a job after an attempt, by the policy of its kind.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type AfterAttempt,
  type AttemptEnd,
  type AttemptPolicy,
  afterAttempt,
  type FailedEnd,
  namingRetries,
} from "./after-attempt.ts"
import { RETRY_PRESETS, retryPolicyOf } from "./standalone-job.ts"

const policy = (retry: AttemptPolicy["retry"], more: Partial<AttemptPolicy> = {}): AttemptPolicy => ({
  retry,
  maxLostLeases: 3,
  random: () => 1,
  ...more,
})
const jittered = policy(RETRY_PRESETS.jittered)
const minutes = policy(RETRY_PRESETS.minutes)
/** The policy of a step: as many retries as its definition says, without delay. */
const immediate = (retries: number) => policy(retryPolicyOf("immediate", retries))

const left = (retriesLeft: number, lostLeases = 0) => ({ retriesLeft, lostLeases })
const boom: FailedEnd = { kind: "failed", message: "boom", retryable: true }
const lost = { kind: "lost", counts: true } as const

describe("by kind of job", () => {
  test("C-67: a step has no retries of its own, and those it is given come at once", () => {
    expect(afterAttempt(left(0), boom, immediate(0))).toMatchObject({
      kind: "dead",
      reason: "exhausted",
      error: "boom",
    })
    expect(afterAttempt(left(2), boom, immediate(2))).toEqual({
      kind: "retry",
      attempt: { outcome: "failed", error: "boom" },
      delayMs: 0,
      retriesLeft: 1,
      lostLeases: 0,
      keepsToken: false,
    })
  })

  test("D-20, D-T9, D-X11: ceilings of 1, 2, 4, 8 and 16 s, any part of them by full jitter, never above a minute", () => {
    const ceilings = [5, 4, 3, 2, 1].map((retries) => afterAttempt(left(retries), boom, jittered))
    expect(ceilings.map((after) => after.kind === "retry" && after.delayMs)).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000,
    ])
    const luckless = policy(RETRY_PRESETS.jittered, { random: () => 0 })
    expect(afterAttempt(left(5), boom, luckless)).toMatchObject({ delayMs: 0 })
    expect(afterAttempt(left(1), boom, policy(retryPolicyOf("jittered", 30)))).toMatchObject({ delayMs: 60_000 })
  })

  test("B-07, B-14, B-T4: by minutes it is 1, 2 and 4 minutes, then the dead letters", () => {
    const delays = [3, 2, 1].map((retries) => afterAttempt(left(retries), boom, minutes))
    expect(delays).toMatchObject([{ delayMs: 60_000 }, { delayMs: 120_000 }, { delayMs: 240_000 }])
    expect(afterAttempt(left(0), boom, minutes)).toEqual({
      kind: "dead",
      attempt: { outcome: "failed", error: "boom" },
      reason: "exhausted",
      error: "boom",
      retries: 3,
      lostLeases: 0,
    })
  })

  test("a step list retries without end what its worker says may be retried, by the worker's own formula", () => {
    const list = policy(retryPolicyOf("immediate", 20))
    const end = { ...boom, isUnlimited: true, backoff: (before: number) => before * 10 }
    expect(afterAttempt(left(18), end, list)).toMatchObject({ kind: "retry", delayMs: 20, retriesLeft: 17 })
    expect(afterAttempt(left(0), end, list)).toMatchObject({ kind: "retry", delayMs: 200, retriesLeft: 0 })
    expect(afterAttempt(left(0), { ...end, retryable: false }, list)).toMatchObject({ reason: "not-retryable" })
  })

  test("a step of a run that counts its own retries decides by them, and spends none of the run's", () => {
    const list = policy(retryPolicyOf("immediate", 20))
    const own = (left: number) => ({ ...boom, own: { left, spent: 2 } })
    expect(afterAttempt(left(0), own(1), list)).toMatchObject({ kind: "retry", retriesLeft: 0 })
    expect(afterAttempt(left(20), own(1), list)).toMatchObject({ kind: "retry", retriesLeft: 20 })
    expect(afterAttempt(left(20), own(0), list)).toMatchObject({ kind: "dead", reason: "exhausted", retries: 2 })
  })

  test("F62: a retry is put off where the budget of its type says so", () => {
    const spread = (delayMs: number) => delayMs + 500
    expect(afterAttempt(left(5), boom, { ...jittered, spread })).toMatchObject({ delayMs: 1_500 })
    expect(afterAttempt(left(5), lost, { ...jittered, spread })).toMatchObject({ delayMs: 0 })
  })
})

describe("by how the attempt ended", () => {
  test("a completed attempt ends the job", () => {
    expect(afterAttempt(left(5), { kind: "completed" }, jittered)).toEqual({ kind: "done" })
  })

  test("B-13: what another attempt cannot help is not tried again", () => {
    expect(afterAttempt(left(5), { ...boom, retryable: false }, jittered)).toMatchObject({
      kind: "dead",
      reason: "not-retryable",
      error: "boom",
      retries: 0,
    })
  })

  test("a failure without a message says so", () => {
    expect(afterAttempt(left(0), { ...boom, message: "" }, jittered)).toMatchObject({
      error: "the worker gave no reason",
      attempt: { error: "the worker gave no reason" },
    })
  })

  test("C-67: the worker's wish wins over its formula, and both over the policy; zero means at once", () => {
    const backoff = () => 7
    expect(afterAttempt(left(5), { ...boom, backoff }, minutes)).toMatchObject({ delayMs: 7 })
    expect(afterAttempt(left(5), { ...boom, backoff, retryAfterMs: 0 }, minutes)).toMatchObject({ delayMs: 0 })
  })

  test("C-128: an attempt that timed out is retried like any failure, with one reason for every kind of job", () => {
    const attempt = { outcome: "timed-out", error: "timeout.run: the attempt timed out" }
    expect(afterAttempt(left(1), { kind: "timed-out" }, minutes)).toMatchObject({
      kind: "retry",
      attempt,
      retriesLeft: 0,
      keepsToken: false,
    })
    const { error } = attempt
    expect(afterAttempt(left(0), { kind: "timed-out" }, minutes)).toMatchObject({ kind: "dead", attempt, error })
  })

  test("S9, D-32: lost leases are counted apart from retries, and bounded; those of a downtime are not counted", () => {
    const attempt = { outcome: "lost", error: "heartbeat timeout" }
    expect(afterAttempt(left(0, 2), lost, jittered)).toEqual({
      kind: "retry",
      attempt,
      delayMs: 0,
      retriesLeft: 0,
      lostLeases: 3,
      keepsToken: true,
    })
    expect(afterAttempt(left(4, 3), lost, jittered)).toEqual({
      kind: "dead",
      attempt,
      reason: "worker-lost",
      error: "poison pill: 4 workers were lost while they held this job (worker_lost)",
      retries: 1,
      lostLeases: 4,
    })
    expect(afterAttempt(left(5, 3), { ...lost, counts: false }, jittered)).toMatchObject({
      kind: "retry",
      lostLeases: 3,
    })
  })
})

test.each([
  [0, "boom"],
  [1, "boom (after 1 retry)"],
  [2, "boom (after 2 retries)"],
])("B-17: after %i retries the record says %j", (retries, text) => {
  expect(namingRetries("boom", retries)).toBe(text)
})

const anyEnd: fc.Arbitrary<AttemptEnd> = fc.oneof(
  fc.constant({ kind: "timed-out" } as const),
  fc.record({ kind: fc.constant("lost" as const), counts: fc.boolean() }),
  fc.record({
    kind: fc.constant("failed" as const),
    message: fc.string(),
    retryable: fc.boolean(),
    retryAfterMs: fc.option(fc.nat(), { nil: undefined }),
  }),
)
const anyRetry = fc.record({
  retries: fc.nat({ max: 20 }),
  baseMs: fc.nat({ max: 100_000 }),
  factor: fc.integer({ min: 1, max: 4 }),
  capMs: fc.nat({ max: 1_000_000 }),
  jitter: fc.constantFrom("none" as const, "partial" as const, "full" as const),
})

describe("whatever the policy and the ends", () => {
  const live = (retry: AttemptPolicy["retry"], ends: readonly AttemptEnd[]): AfterAttempt[] => {
    const all: AfterAttempt[] = []
    let job = left(retry.retries)
    for (const end of ends) {
      const after = afterAttempt(job, end, policy(retry, { random: () => 0.5 }))
      all.push(after)
      if (after.kind !== "retry") break
      job = after
    }
    return all
  }

  test("S9: a job is delivered 1 + retries + 3 times at most, unless its leases ended in a downtime", () => {
    fc.assert(
      fc.property(anyRetry, fc.array(anyEnd, { minLength: 60, maxLength: 60 }), (retry, ends) => {
        const counted = ends.filter((end) => end.kind !== "lost" || end.counts)
        fc.pre(counted.length > retry.retries + 4)
        const all = live(retry, counted)
        expect(all.at(-1)?.kind).toBe("dead")
        expect(all.length).toBeLessThanOrEqual(1 + retry.retries + 3)
      }),
    )
  })

  test("retries and lost leases only ever move by one, each by its own kind of end, and only a lost one keeps its token", () => {
    fc.assert(
      fc.property(anyRetry, fc.array(anyEnd, { maxLength: 30 }), (retry, ends) => {
        let before = left(retry.retries)
        for (const [at, after] of live(retry, ends).entries()) {
          if (after.kind !== "retry") return
          const end = ends[at] as AttemptEnd
          const isLost = end.kind === "lost"
          expect(after.retriesLeft).toBe(before.retriesLeft - (isLost ? 0 : 1))
          expect(after.lostLeases).toBe(before.lostLeases + (isLost && end.counts ? 1 : 0))
          expect(after.keepsToken).toBe(isLost)
          expect(after.delayMs).toBeGreaterThanOrEqual(0)
          before = after
        }
      }),
    )
  })
})
