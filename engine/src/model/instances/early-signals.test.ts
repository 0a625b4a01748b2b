// Signals that come before their WAIT, and waits that last for a time.
import { expect, test } from "vitest"
import { EngineError } from "../../support/errors.ts"
import { decision, end, fork, join, type Raw, service, wait } from "../definitions/fixtures.ts"
import { complete, signal } from "./test-support/items.ts"
import { type Run, run } from "./test-support/run.ts"

const steps = (more: Raw = { keepEarly: true }): Raw[] => [
  service("a", "w"),
  wait("w", { nextStep: "b", ...more }),
  service("b", "e"),
  end("e"),
]

const codeOf = (running: Run, stepId: string, variables = {}): unknown => {
  const [verdict] = running.together(signal(stepId, variables))
  return verdict instanceof EngineError ? verdict.code : verdict
}

test("F69, S13: a signal that comes before a WAIT with keepEarly is kept and ends the wait when the token comes to it", () => {
  const running = run(steps()).signal("w", { ok: true })
  expect(running.open).toEqual(["a"])
  expect(running.variables).toEqual({})
  expect(running.world.tables.audit.at(-1)).toMatchObject({ kind: "WAIT_SIGNALLED", detail: { early: true } })
  running.complete("a")
  expect(running.history).toEqual(["a COMPLETED", "w COMPLETED"])
  expect(running.open).toEqual(["b"])
  expect(running.variables).toEqual({ ok: true })
  expect(running.status).toBe("ACTIVE")
})

test("C-74: without keepEarly a signal before the wait is a conflict, and so it is with keepEarly: false", () => {
  expect(codeOf(run(steps({})), "w")).toBe("conflict")
  expect(codeOf(run(steps({ keepEarly: false })), "w")).toBe("conflict")
})

test("S13: a signal that no token can come to any more is a conflict: it would never be taken", () => {
  const running = run(steps()).complete("a").signal("w")
  expect(codeOf(running, "w")).toBe("conflict")
})

test("C-74: where the wait comes once, a second early signal is a conflict, also in the same draft", () => {
  const running = run(steps())
  const verdicts = running.together(signal("w", { n: 1 }), signal("w", { n: 2 }), complete(running.claim("a")))
  expect(verdicts.map((one) => (one instanceof EngineError ? one.code : one))).toEqual([
    "counted",
    "conflict",
    "counted",
  ])
  expect(running.variables).toEqual({ n: 1 })
})

test("S13: in a loop each signal is kept for one round, oldest first", () => {
  const running = run([
    service("a", "w"),
    wait("w", { nextStep: "again", keepEarly: true }),
    decision("again", { conditionalNextSteps: { "n < 2": "a", true: "e" } }),
    end("e"),
  ])
  running.signal("w", { n: 1 }).signal("w", { n: 2 })
  expect(running.complete("a").variables).toEqual({ n: 1 })
  expect(running.open).toEqual(["a"])
  expect(running.complete("a").status).toBe("COMPLETED")
  expect(running.variables).toEqual({ n: 2 })
})

test("C-48: a signal that was kept lets its branch arrive at the join", () => {
  const running = run([
    fork("f", ["a", "b"], "j"),
    service("a", "w"),
    wait("w", { nextStep: "j", keepEarly: true }),
    service("b", "j"),
    join("j", { nextStep: "e" }),
    end("e"),
  ])
  running.signal("w").complete("a").complete("b")
  expect(running.status).toBe("COMPLETED")
})

test("C-71: what was kept is still there after a failure and a retry", () => {
  const running = run(steps()).signal("w", { ok: true }).fail("a")
  expect(running.status).toBe("FAILED")
  expect(running.retry("a").complete("a").variables).toEqual({ ok: true })
})

test("kept signals together are no larger than one write", () => {
  const running = run([
    service("a", "w"),
    wait("w", { nextStep: "again", keepEarly: true }),
    decision("again", { conditionalNextSteps: { "len(text) > 0": "a", true: "e" } }),
    end("e"),
  ])
  const half = { text: "x".repeat(140_000) }
  expect(codeOf(running, "w", half)).toBe("counted")
  expect(codeOf(running, "w", half)).toBe("payload-too-large")
})

test("a kept signal that the instance cannot take any more fails it; a retry with less takes the signal", () => {
  const big = { text: "x".repeat(200_000) }
  // A condition, so that the variables are read with the instance.
  const read = [...steps().slice(0, 2), service("b", "e", { conditionalNextSteps: { "old == ''": "e" } }), end("e")]
  const running = run(read, { variables: { old: "y".repeat(1_800_000) } }).signal("w", big)
  running.complete("a", { more: "z".repeat(200_000) })
  expect(running.reason).toContain("the signal that was kept for w is too large")
  expect(running.retry("w", { old: "" }).open).toEqual(["b"])
  expect(running.variables.text).toBe(big.text)
})

test("C-74: a WAIT with a duration goes on by itself when the time is over, with nothing merged", () => {
  const running = run(steps({ duration: "PT1H" })).complete("a")
  expect(running.status).toBe("WAITING")
  expect(running.timers).toEqual(["2/duration"])
  running.fire("w", "duration")
  expect(running.history).toEqual(["a COMPLETED", "w COMPLETED"])
  expect(running.open).toEqual(["b"])
  expect(running.audit.slice(-2)).toEqual(["TIMER_FIRED", "JOB_DISPATCHED"])
})

test("C-74: a signal ends a WAIT with a duration before its time; its timer goes with it", () => {
  const running = run(steps({ duration: "PT1H" }))
    .complete("a")
    .signal("w", { ok: true })
  expect(running.open).toEqual(["b"])
  expect(running.timers).toEqual([])
})

test("a kept signal ends a WAIT with a duration without a timer ever being set", () => {
  const running = run(steps({ duration: "PT1H", keepEarly: true }))
    .signal("w")
    .complete("a")
  expect(running.open).toEqual(["b"])
  expect(running.timers).toEqual([])
})
