// What follows a report or a lost lease.
import { expect, test } from "vitest"
import { end, fork, join, type Raw, service } from "../definitions/fixtures.ts"
import { TooMuchTogether } from "./plan-again.ts"
import { complete, fail, fire, sweep } from "./test-support/items.ts"
import { run } from "./test-support/run.ts"

const one = (more: Raw = {}): Raw[] => [service("a", "b", more), service("b", "e"), end("e")]
const flaky = { message: "no luck", retryable: true }

test("C-62: completion merges the delta, closes the step with it and dispatches the next one in the same plan", () => {
  const running = run(one(), { variables: { kept: 1, old: "x" } }).complete("a", { old: 2, fresh: null })
  expect(running.variables).toEqual({ kept: 1, old: 2, fresh: null })
  expect(running.open).toEqual(["b"])
  expect(running.world.lastPlan).toMatchObject({
    delta: { old: 2, fresh: null },
    endedJobs: [1],
    closedSteps: [
      { stepId: "a", status: "COMPLETED", delta: { old: 2, fresh: null }, report: { epoch: 1, verb: "complete" } },
    ],
    newJobs: [{ stepId: "b" }],
  })
})

test("C-57: the closed step remembers the lease it was reported under and the version its worker had seen", () => {
  const running = run(one())
  const { token, workerId } = running.claim("a")
  running.world.transact(complete({ execution: 1, workerId, token }))
  expect(running.world.tables.history.get(1)?.report).toEqual({
    ...token,
    workerId: "worker",
    seenVersion: 2,
    verb: "complete",
  })
})

test("C-62: a report without variables changes none", () => {
  expect(run(one(), { variables: { a: 1 } }).complete("a").world.lastPlan?.delta).toBeUndefined()
})

test("C-67: a retryable failure spends a retry and goes back to the queue at once; the step stays open", () => {
  const running = run(one({ retryCount: 2 })).fail("a", { message: "flaky" })
  expect(running.job("a")).toMatchObject({ status: "ready", retriesLeft: 1, nonce: null, lostLeases: 0 })
  expect(running.open).toEqual(["a"])
  expect(running.audit.at(-1)).toBe("JOB_RETRIED")
  expect(running.world.tables.attempts.get("1/1")).toMatchObject({ outcome: "failed", error: "flaky" })
})

test("C-68: retryCount 3 is three retries after the first try", () => {
  const running = run(one({ retryCount: 3 }))
    .fail("a")
    .fail("a")
    .fail("a")
  expect(running.status).toBe("ACTIVE")
  expect(running.fail("a", { message: "the fourth" }).status).toBe("FAILED")
  expect(running.reason).toBe("the fourth")
  expect(running.history).toEqual(["a FAILED"])
})

test("C-68: a failure that is not retryable skips the retries that are left", () => {
  const running = run(one({ retryCount: 3 })).fail("a", { retryable: false, message: "no such card" })
  expect(running.status).toBe("FAILED")
  expect(running.reason).toBe("no such card")
  expect(running.audit.slice(-2)).toEqual(["JOB_FAILED", "INSTANCE_FAILED"])
})

test("C-70: a failure without a message still gives a reason", () => {
  expect(run(one()).fail("a", { message: "" }).reason).toBe("the worker gave no reason")
})

test("C-67: a retry policy holds the job, longer each time; the worker's own wish goes before it", () => {
  const running = run(one({ retry: { retries: 3, base: "PT2S", factor: 3, cap: "PT10S" } })).fail("a")
  const waitsFor = () => (running.job("a").visibleAt ?? 0) - running.world.nowMs
  expect(running.job("a").status).toBe("held")
  expect(waitsFor()).toBe(2_000)
  running.world.nowMs += 2_000
  running.world.release()
  running.fail("a", { retryAfterMs: 250 })
  expect(waitsFor()).toBe(250)
  running.world.nowMs += 250
  running.world.release()
  expect(running.fail("a").world.lastPlan?.requeuedJobs[0]?.delayMs).toBe(10_000)
})

test("C-64, S9: a lost lease is counted apart, spends no retry, and leaves its token good until the next claim", () => {
  const running = run(one({ retryCount: 1 })).lose("a")
  expect(running.job("a")).toMatchObject({ status: "ready", retriesLeft: 1, lostLeases: 1, epoch: 1 })
  expect(running.job("a").nonce).not.toBeNull()
  expect(running.audit.at(-1)).toBe("LEASE_EXPIRED")
})

test("C-65: a completion after the lease was lost counts as long as nobody has claimed the job since", () => {
  const running = run(one()).lose("a")
  const [late] = running.world.deliveries
  expect(late && running.together(complete(late))).toEqual(["counted"])
  const other = run(one()).lose("a")
  other.claim("a")
  const [older] = other.world.deliveries
  expect(older && other.together(complete(older))).toEqual(["ignored"])
})

/** Its worker has lost the job, which another one has now. */
function handedOn(retryCount: number) {
  const running = run(one({ retryCount })).lose("a")
  const theirs = running.claim("a", "other")
  return { running, theirs, late: { execution: 1, workerId: "worker", token: undefined } }
}

test("W-03: a late failure that may be retried spends a retry, and leaves the job with the worker that has it", () => {
  const { running, theirs, late } = handedOn(1)
  const before = running.job("a")
  running.expectCounted(fail(late, flaky))
  expect(running.job("a")).toEqual({ ...before, retriesLeft: 0 })
  expect(running.world.tables.attempts.get("1/1")).toMatchObject({ outcome: "failed", error: "no luck" })
  expect(running.audit.at(-1)).toBe("JOB_RETRIED")
  expect(running.together(fail(late, flaky))).toEqual(["ignored"])
  expect(running.together(complete(theirs))).toEqual(["counted"])
})

test("W-03: with no retry left a late failure leaves the end to the worker that has the job", () => {
  const { running, theirs, late } = handedOn(0)
  running.expectCounted(fail(late, flaky))
  expect(running.world.tables.attempts.get("1/1")).toMatchObject({ outcome: "failed", error: "no luck" })
  expect(running.together(fail(late, flaky))).toEqual(["ignored"])
  expect(running.together(complete(theirs))).toEqual(["counted"])
  const other = handedOn(0)
  other.running.expectCounted(fail(other.late, flaky))
  other.running.expectCounted(fail(other.theirs, flaky))
  expect([other.running.status, other.running.reason]).toEqual(["FAILED", "no luck"])
})

test("W-03: a late failure that may not be retried is the end of the step", () => {
  const { running, theirs, late } = handedOn(1)
  running.expectCounted(fail(late, { message: "never", retryable: false }))
  expect([running.status, running.reason]).toEqual(["FAILED", "never"])
  expect(running.together(complete(theirs))).toEqual(["not-live"])
})

test("W-03: what meets a late failure in one plan is planned again, alone: its token is good", () => {
  const { running, theirs, late } = handedOn(1)
  expect(() => running.together(fail(late, flaky), complete(theirs))).toThrow(TooMuchTogether)
  expect(running.together(complete(theirs), fail(late, flaky))).toEqual(["counted", "ignored"])
})

test("C-65: a failure reported after the lease was lost spends a retry, and what is known of the delivery is the report", () => {
  const running = run(one({ retryCount: 1 })).lose("a")
  const [late] = running.world.deliveries
  expect(late && running.together(fail(late, flaky))).toEqual(["counted"])
  expect(running.job("a")).toMatchObject({ retriesLeft: 0, lostLeases: 1, nonce: null })
  expect(running.world.tables.attempts.get("1/1")?.outcome).toBe("failed")
})

test("S9: a job whose workers are lost a fourth time is a poison pill and fails its step with the reason", () => {
  const running = run(one({ retryCount: 9 }))
    .lose("a")
    .lose("a")
    .lose("a")
  expect(running.status).toBe("ACTIVE")
  expect(running.lose("a").status).toBe("FAILED")
  expect(running.reason).toMatch(/^poison pill: 4 workers were lost/)
  expect(running.audit.slice(-3)).toEqual(["LEASE_EXPIRED", "JOB_FAILED", "INSTANCE_FAILED"])
})

test("B-17: the job by which an instance fails is dead, with its retries; the step's reason names them, the instance's is the error", () => {
  const running = run(one({ retryCount: 2 }))
    .fail("a")
    .fail("a")
  expect(running.world.lastPlan?.deadJob).toBeUndefined()
  running.fail("a", { message: "no luck" })
  expect(running.world.lastPlan?.deadJob).toEqual({
    execution: 1,
    reason: "exhausted",
    error: "no luck",
    retryCount: 2,
  })
  expect(running.world.tables.history.get(1)?.failureReason).toBe("no luck (after 2 retries)")
  expect(running.reason).toBe("no luck")
})

test("B-13, S9: a job is dead beyond retrying, by its output, or with its workers; each says which", () => {
  const dead = (running: ReturnType<typeof run>) => running.world.lastPlan?.deadJob
  const final = run(one({ retryCount: 2 }))
    .fail("a")
    .fail("a", { retryable: false, message: "invalid" })
  expect(dead(final)).toMatchObject({ reason: "not-retryable", error: "invalid", retryCount: 1 })
  expect(final.world.tables.history.get(1)?.failureReason).toBe("invalid (after 1 retry)")
  const misfit = run(one({ outputSchema: { required: ["paid"] } })).complete("a", {})
  expect(dead(misfit)).toMatchObject({ reason: "not-retryable", error: expect.stringContaining("schema") })
  const lost = run(one())
  for (let n = 0; n < 4; n++) lost.lose("a")
  expect(dead(lost)).toMatchObject({ reason: "worker-lost", error: expect.stringContaining("poison pill") })
})

test("a job is not dead where its step may fail, nor for what fails the instance after it", () => {
  const careless = run(one({ onError: "continue" })).fail("a")
  expect(careless.world.lastPlan?.deadJob).toBeUndefined()
  const choice = { id: "c", name: "c", type: "DECISION", conditionalNextSteps: { "nothing.here": "e" } }
  const blameless = run([service("a", "c", { onError: "continue" }), choice, end("e")]).fail("a")
  expect([blameless.status, blameless.world.lastPlan?.deadJob]).toEqual(["FAILED", undefined])
})

test("C-128: timeout.run fails the attempt: it is retried like any other failure, with its own reason in the end", () => {
  const running = run(one({ retryCount: 1, timeout: { run: "PT10S" } })).lose("a")
  expect(running.job("a")).toMatchObject({ retriesLeft: 0, lostLeases: 0, nonce: null })
  expect(running.world.tables.attempts.get("1/1")?.outcome).toBe("timed-out")
  expect(running.lose("a").status).toBe("FAILED")
  expect(running.reason).toMatch(/^timeout\.run: /)
})

test("C-55: an output that does not fit its schema fails the step at once, retries or not, naming every fault", () => {
  const outputSchema = { properties: { paid: { type: "boolean" } }, required: ["paid", "at"] }
  const running = run(one({ retryCount: 5, outputSchema }), { variables: { x: 1 } }).complete("a", { paid: "yes" })
  expect(running.status).toBe("FAILED")
  expect(running.reason).toMatch(/output of a does not fit its schema: .*at is required.*paid must be a boolean/)
  expect(running.variables).toEqual({ x: 1 })
})

test("C-67: with onError fail, as without it, a failure for good fails the instance", () => {
  expect(run(one({ onError: "fail" })).fail("a").status).toBe("FAILED")
})

test("C-67: with onError continue a failure for good fails the step alone, and its token goes on", () => {
  const running = run(one({ onError: "continue" }), { variables: { a: 1 } }).fail("a", { message: "never mind" })
  expect(running.status).toBe("ACTIVE")
  expect(running.open).toEqual(["b"])
  expect(running.history).toEqual(["a FAILED"])
  expect(running.world.tables.history.get(1)?.failureReason).toBe("never mind")
  expect(running.audit.slice(-2)).toEqual(["JOB_FAILED", "JOB_DISPATCHED"])
})

test("C-75, C-67: a failure that may continue still arrives at the join", () => {
  const running = run([
    fork("f", ["a", "b"], "j"),
    service("a", "j", { onError: "continue" }),
    service("b", "j"),
    join("j", { nextStep: "e" }),
    end("e"),
  ])
  expect(running.fail("a").complete("b").status).toBe("COMPLETED")
})

const forked: Raw[] = [
  fork("f", ["a", "b"], "j"),
  service("a", "j", { retryCount: 1 }),
  service("b", "j"),
  join("j", { nextStep: "e" }),
  end("e"),
]

test("C-67, C-81: a failure for good stops the other branches; their jobs go with it", () => {
  const running = run(forked)
  running.claim("b")
  running.fail("a", { retryable: false })
  expect(running.history).toEqual(["f COMPLETED", "a FAILED", "b SKIPPED"])
  expect(running.world.tables.jobs.size).toBe(0)
  expect(running.world.lastPlan?.audit.at(-1)?.detail).toEqual({ reason: "no luck", skipped: ["b"] })
})

test.each([
  ["complete and complete", ["complete", "complete"], "COMPLETED"],
  ["complete and fail", ["complete", "fail"], "COMPLETED"],
  ["fail for good and complete", ["fail", "complete"], "FAILED"],
] as const)("C-69: %s in one draft: the first counts, the other changes nothing", (_name, verbs, status) => {
  const running = run([service("a", "b", { onError: "continue" }), service("b", "e"), end("e")])
  const delivery = running.claim("a")
  const items = verbs.map((verb) =>
    verb === "complete" ? complete(delivery, { n: 1 }) : fail(delivery, { message: "no", retryable: false }),
  )
  expect(running.together(...items)).toEqual(["counted", "ignored"])
  expect(running.world.tables.history.get(1)?.status).toBe(status)
  expect(running.open).toEqual(["b"])
})

test("C-69: eight failures of one delivery in one draft spend one retry", () => {
  const running = run(forked)
  const delivery = running.claim("a")
  const verdicts = running.together(...Array.from({ length: 8 }, () => fail(delivery, flaky)))
  expect(verdicts).toEqual(["counted", ...Array<string>(7).fill("ignored")])
  expect(running.job("a").retriesLeft).toBe(0)
  expect(running.world.lastPlan?.endedAttempts).toHaveLength(1)
})

test("C-69, C-66: a retried attempt has used its token up; completing with it, also in the same draft, changes nothing", () => {
  const running = run(forked)
  const delivery = running.claim("a")
  expect(running.together(fail(delivery, flaky), complete(delivery))).toEqual(["counted", "ignored"])
  expect(running.together(complete(delivery))).toEqual(["ignored"])
  expect(running.open).toEqual(["a", "b"])
})

test("C-69, S12: a report, a sweep and a timer on one step in one draft: the first wins", () => {
  const steps = one({ boundaryEvents: [{ type: "TIMER", duration: "PT30S", interrupting: true, targetStepId: "b" }] })
  const meet = () => {
    const running = run(steps)
    const delivery = running.claim("a")
    running.world.nowMs += 30_000
    return { running, items: [complete(delivery), sweep(running.job("a"), running.world.nowMs), fire(1, "boundary:0")] }
  }
  for (const [order, status] of [
    [[0, 1, 2], "COMPLETED"],
    [[2, 0, 1], "FAILED"],
    [[2, 1, 0], "FAILED"],
  ] as const) {
    const { running, items } = meet()
    running.together(...order.map((index) => items[index] as (typeof items)[number]))
    expect(running.world.tables.history.get(1)?.status).toBe(status)
    expect(running.open).toEqual(["b"])
  }
})
