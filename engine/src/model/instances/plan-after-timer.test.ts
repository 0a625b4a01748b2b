// What a due timer does.
import { expect, test } from "vitest"
import { end, fork, join, type Raw, service, timer, user, wait } from "../definitions/fixtures.ts"
import { fire } from "./test-support/items.ts"
import { run } from "./test-support/run.ts"

const guarded = (interrupting: boolean, step: Raw = {}): Raw[] => [
  service("a", "e", { ...step, boundaryEvents: [timer("t", interrupting, "PT5S")] }),
  service("t", "e"),
  end("e"),
]

test("C-77: a timer starts with its step, one row per boundary event, and ends with it", () => {
  const steps = [
    service("a", "b", { boundaryEvents: [timer("e", true, "PT5S"), timer("e", false, "PT1M")] }),
    service("b", "e"),
    end("e"),
  ]
  const running = run(steps)
  expect(running.timers).toEqual(["1/boundary:0", "1/boundary:1"])
  expect(running.world.tables.timers.get("1/boundary:1")?.dueAt).toBe(running.world.nowMs + 60_000)
  expect(running.complete("a").timers).toEqual([])
})

test("C-77: an interrupting timer fails its step with the reason, takes its job away and starts the target", () => {
  const running = run(guarded(true)).fire("a", "boundary:0")
  expect(running.history).toEqual(["a FAILED"])
  expect(running.world.tables.history.get(1)?.failureReason).toBe("interrupted by boundary timer")
  expect(running.open).toEqual(["t"])
  expect(running.world.lastPlan?.endedJobs).toEqual([1])
  expect(running.audit.slice(-2)).toEqual(["TIMER_FIRED", "JOB_DISPATCHED"])
  expect(running.status).toBe("ACTIVE")
})

test("C-77, C-73: an interrupted user task is CANCELLED", () => {
  const running = run([user("u", { nextStep: "e", boundaryEvents: [timer("t", true)] }), service("t", "e"), end("e")])
  running.fire("u", "boundary:0")
  expect(running.world.tables.userTasks.get(1)?.status).toBe("CANCELLED")
  expect(running.status).toBe("ACTIVE")
})

test("C-77: a timer that does not interrupt starts its target beside the step, which goes on", () => {
  const running = run(guarded(false)).fire("a", "boundary:0")
  expect(running.open).toEqual(["a", "t"])
  expect(running.status).toBe("ACTIVE")
  expect(running.complete("a").status).toBe("COMPLETED")
})

test("C-74: a wait resumes by its timer; a signal then comes too late", () => {
  const running = run([wait("w", { nextStep: "e", boundaryEvents: [timer("t", true)] }), service("t", "e"), end("e")])
  running.fire("w", "boundary:0")
  expect(() => running.signal("w")).toThrow("w is not waiting for a signal now")
})

test("C-78, S12: a timer whose step was left, or that has fired, is consumed and does nothing", () => {
  const running = run(guarded(true))
  running.world.nowMs += 5_000
  expect(running.together(fire(1, "boundary:0"), fire(1, "boundary:0"))).toEqual(["counted", "ignored"])
  expect(running.together(fire(1, "boundary:0"))).toEqual(["ignored"])
  expect(running.open).toEqual(["t"])
})

test("S12: a timer that is not due yet does not fire", () => {
  const running = run(guarded(true))
  running.world.nowMs += 4_999
  expect(running.together(fire(1, "boundary:0"))).toEqual(["ignored"])
})

const inFork = (interrupting: boolean, targetNext?: string): Raw[] => [
  fork("f", ["a", "b"], "j"),
  service("a", "j", { boundaryEvents: [timer("t", interrupting)] }),
  service("t", targetNext),
  service("b", "j"),
  join("j", { nextStep: "e" }),
  end("e"),
]

test("C-77, C-48, S11: inside a fork an interrupting timer takes over the branch and arrives for it", () => {
  const running = run(inFork(true, "j")).fire("a", "boundary:0").complete("b")
  expect(running.open).toEqual(["t"])
  expect(running.complete("t").status).toBe("COMPLETED")
})

test("C-77, C-48, S11: inside a fork a timer that does not interrupt starts a token of no fork; the join does not wait for it", () => {
  const steps = [...inFork(false).slice(0, -2), join("j", { nextStep: "last" }), service("last")]
  const running = run(steps).fire("a", "boundary:0").complete("a").complete("b").complete("last")
  expect(running.history).toContain("j COMPLETED")
  expect(running.open).toEqual(["t"])
  expect(running.complete("t").status).toBe("COMPLETED")
})

test("C-77: two timers of one step that are due together: an interrupting one ends the others", () => {
  const boundaryEvents = [timer("t", true, "PT5S"), timer("s", false, "PT5S")]
  const steps = [service("a", "e", { boundaryEvents }), service("t", "e"), service("s", "e"), end("e")]
  const running = run(steps)
  running.world.nowMs += 5_000
  running.together(fire(1, "boundary:0"), fire(1, "boundary:1"))
  expect(running.open).toEqual(["t"])
  const other = run(steps)
  other.world.nowMs += 5_000
  other.together(fire(1, "boundary:1"), fire(1, "boundary:0"))
  expect(other.open).toEqual(["s", "t"])
})

test.each([
  ["SERVICE_TASK", service("a", "e", { timeout: { total: "PT9S" } })],
  ["USER_TASK", user("a", { nextStep: "e", timeout: { total: "PT9S" } })],
  ["WAIT", wait("a", { nextStep: "e", timeout: { total: "PT9S" } })],
])("C-128: timeout.total fails a %s and the instance with its own reason", (_type, step) => {
  const running = run([step, end("e")]).fire("a", "total")
  expect(running.status).toBe("FAILED")
  expect(running.reason).toBe("timeout.total: a took too long in all")
})

test("C-128: with onError continue a timeout fails the step alone", () => {
  const steps = [
    wait("w", { nextStep: "b", timeout: { total: "PT9S" }, onError: "continue" }),
    service("b", "e"),
    end("e"),
  ]
  const running = run(steps).fire("w", "total")
  expect(running.history).toEqual(["w FAILED"])
  expect(running.open).toEqual(["b"])
})

test("C-128: timeout.queue fails a step whose job no worker took", () => {
  const running = run([service("a", "e", { timeout: { queue: "PT9S" } }), end("e")]).fire("a", "queue")
  expect(running.status).toBe("FAILED")
  expect(running.reason).toBe("timeout.queue: no worker took the job of a in time")
})

test("C-128: timeout.queue means nothing once a worker has taken the job, also when that worker was lost", () => {
  const running = run([service("a", "e", { timeout: { queue: "PT60S" } }), end("e")])
    .lose("a")
    .fire("a", "queue")
  expect(running.open).toEqual(["a"])
  expect(running.timers).toEqual([])
})

test("C-128: the deadline fails the instance with every open step, whatever they were doing", () => {
  const steps = [
    fork("f", ["a", "u"], "j"),
    service("a", "j", { onError: "continue" }),
    user("u", { nextStep: "j" }),
    join("j", { nextStep: "e" }),
    end("e"),
  ]
  const running = run(steps, { definition: { deadline: "PT1M" } })
  running.claim("a")
  running.fire(undefined, "deadline")
  expect(running.status).toBe("FAILED")
  expect(running.reason).toBe("deadline: not finished within PT1M")
  expect(running.history).toEqual(["f COMPLETED", "a FAILED", "u FAILED"])
  expect(running.world.tables.userTasks.get(3)?.status).toBe("CANCELLED")
})

test("C-128, C-71: after a missed deadline any open step can be retried; all resume, and the deadline starts anew", () => {
  const steps = [
    fork("f", ["a", "b"], "j"),
    service("a", "j"),
    service("b", "j"),
    join("j", { nextStep: "e" }),
    end("e"),
  ]
  const running = run(steps, { definition: { deadline: "PT1M" } })
    .fire(undefined, "deadline")
    .retry("b")
  expect(running.open).toEqual(["a", "b"])
  expect(running.world.tables.timers.get("0/deadline")?.dueAt).toBe(running.world.nowMs + 60_000)
  expect(running.fire(undefined, "deadline").status).toBe("FAILED")
  expect(running.retry("a").complete("b").complete("a").status).toBe("COMPLETED")
  expect(running.timers).toEqual([])
})
