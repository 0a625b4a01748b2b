// What follows when a step fails for good and has an ERROR event at its boundary.
import { expect, test } from "vitest"
import { caught, decision, end, fork, join, type Raw, service, timer, user, wait } from "../definitions/fixtures.ts"
import { fire } from "./test-support/items.ts"
import { run } from "./test-support/run.ts"

const guarded = (more: Raw = {}): Raw[] => [
  service("a", "e", { boundaryEvents: [caught("x")], ...more }),
  service("x", "e"),
  end("e"),
]

test("C-67: the step is FAILED, its target starts in the same plan with the error as a variable, and nothing dies", () => {
  const running = run(guarded(), { variables: { n: 1 } }).fail("a")
  expect(running.history).toEqual(["a FAILED"])
  expect(running.open).toEqual(["x"])
  expect(running.status).toBe("ACTIVE")
  expect(running.variables).toEqual({ n: 1, error: { stepId: "a", reason: "no luck" } })
  expect(running.audit.slice(-3)).toEqual(["JOB_FAILED", "ERROR_CAUGHT", "JOB_DISPATCHED"])
  expect(running.world.lastPlan?.deadJob).toBeUndefined()
  expect(running.complete("x").status).toBe("COMPLETED")
})

test("C-67, C-68: it fires when no retry is left, not before; the history names the retries, the variable the error", () => {
  const running = run(guarded({ retryCount: 1 })).fail("a")
  expect(running.open).toEqual(["a"])
  running.fail("a")
  expect(running.open).toEqual(["x"])
  expect(running.world.tables.history.get(1)?.failureReason).toBe("no luck (after 1 retry)")
  expect(running.variables.error).toEqual({ stepId: "a", reason: "no luck" })
})

test("C-55: a result that does not fit its schema is an error like any other", () => {
  const outputSchema = { properties: { paid: { type: "boolean" } }, required: ["paid"] }
  const running = run(guarded({ outputSchema })).complete("a", { paid: "yes" })
  expect(running.open).toEqual(["x"])
  expect(running.variables).toEqual({
    error: { stepId: "a", reason: expect.stringContaining("does not fit its schema") },
  })
})

test("C-64: a step that keeps losing its workers is caught as well, and is no dead letter", () => {
  const running = run(guarded())
  for (let lost = 0; lost < 4; lost++) running.lose("a")
  expect(running.open).toEqual(["x"])
  expect(running.world.lastPlan?.deadJob).toBeUndefined()
})

test("C-72: conditions that cannot be judged fail the step; what it returned is merged before the error", () => {
  const running = run(guarded({ conditionalNextSteps: { "missing == 1": "e" } })).complete("a", { n: 2 })
  expect(running.history).toEqual(["a FAILED"])
  expect(running.open).toEqual(["x"])
  expect(running.variables).toMatchObject({ n: 2, error: { stepId: "a" } })
})

test.each([
  ["USER_TASK", user],
  ["WAIT", wait],
])("C-128: a %s that takes too long in all goes to its target, and its own work ends", (_type, step) => {
  const steps = [
    step("s", { nextStep: "e", timeout: { total: "PT1M" }, boundaryEvents: [caught("x")] }),
    service("x", "e"),
    end("e"),
  ]
  const running = run(steps).fire("s", "total")
  expect(running.history).toEqual(["s FAILED"])
  expect(running.open).toEqual(["x"])
  expect(running.variables).toEqual({ error: { stepId: "s", reason: "timeout.total: s took too long in all" } })
  expect(running.timers).toEqual([])
})

test("C-48, S11: inside a fork the target has the branch and arrives for it", () => {
  const running = run([
    fork("f", ["a", "b"], "j"),
    service("a", "j", { boundaryEvents: [caught("x")] }),
    service("x", "j"),
    service("b", "j"),
    join("j", { nextStep: "e" }),
    end("e"),
  ])
  running.fail("a").complete("b")
  expect(running.open).toEqual(["x"])
  expect(running.complete("x").status).toBe("COMPLETED")
})

test("S12: between a failure and an interrupting timer of one step, the first takes the token", () => {
  const steps = guarded({ boundaryEvents: [caught("x"), timer("e", true, "PT5S")] })
  const failed = run(steps).fail("a")
  failed.world.nowMs += 5_000
  expect(failed.together(fire(1, "boundary:1"))).toEqual(["ignored"])
  expect(failed.open).toEqual(["x"])
  const interrupted = run(steps).fire("a", "boundary:1")
  expect(interrupted.status).toBe("COMPLETED")
  expect(interrupted.variables).toEqual({})
})

test("C-128: the deadline of the instance is not an error of the step", () => {
  const running = run(guarded(), { definition: { deadline: "PT1M" } }).fire(undefined, "deadline")
  expect(running.status).toBe("FAILED")
  expect(running.variables).toEqual({})
})

test("C-71: a target that fails the instance can be retried; the step that was caught stays FAILED", () => {
  const steps = [
    service("a", "e", { boundaryEvents: [caught("d")] }),
    decision("d", { conditionalNextSteps: { "error.reason == 'refund'": "e" } }),
    end("e"),
  ]
  const running = run(steps).fail("a")
  expect(running.reason).toContain("DecisionNoBranchMatched")
  expect(running.retry("d", { error: { stepId: "a", reason: "refund" } }).status).toBe("COMPLETED")
  expect(running.history).toEqual(["a FAILED", "d FAILED", "d COMPLETED", "e COMPLETED"])
})

test("C-57: a step may be its own target: it is entered again, as one attempt more", () => {
  const running = run([service("a", "e", { boundaryEvents: [caught("a")] }), end("e")])
    .fail("a")
    .fail("a")
  expect(running.open).toEqual(["a"])
  expect([...running.world.tables.history.values()].map((step) => step.attempt)).toEqual([1, 2])
  expect(running.complete("a").status).toBe("COMPLETED")
})

test("an error that the variables have no room for fails the instance, and can be retried", () => {
  const steps = [
    service("a", "e", { conditionalNextSteps: { "old == ''": "e" }, boundaryEvents: [caught("x")] }),
    service("x", "e"),
    end("e"),
  ]
  const running = run(steps, { variables: { old: "y".repeat(2_097_000) } }).fail("a", { message: "m".repeat(5_000) })
  expect(running.reason).toContain("the error of a is too large")
  expect(running.variables.error).toBeUndefined()
  expect(running.retry("a", { old: "" }).fail("a").open).toEqual(["x"])
})
