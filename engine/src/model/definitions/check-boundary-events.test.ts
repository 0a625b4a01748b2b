// Which events a step may have at its boundary.
import { expect, test } from "vitest"
import { caught, document, end, faults, fork, join, parsed, type Raw, service, timer, user, wait } from "./fixtures.ts"

const guarded = (...boundaryEvents: Raw[]): Raw =>
  document([service("a", "e", { boundaryEvents }), service("b", "e"), end("e")])

test("C-50: an ERROR event needs a target and nothing else, on a task or a wait, and is stored as interrupting", () => {
  const boundaryEvents = [caught("e")]
  const steps = [
    service("a", "u", { boundaryEvents }),
    user("u", { nextStep: "w", boundaryEvents }),
    wait("w", { nextStep: "e", boundaryEvents }),
    end("e"),
  ]
  const { steps: stored } = parsed(document(steps))
  const events = stored.slice(0, 3).map((step) => step.boundaryEvents)
  expect(events).toEqual(Array(3).fill([{ type: "ERROR", interrupting: true, targetStepId: "e" }]))
})

test("an ERROR event that has a duration, does not interrupt or leads nowhere is refused, each fault by its path", () => {
  expect(faults(guarded({ ...caught("nowhere"), duration: "PT5S", interrupting: false, after: 1 }))).toEqual([
    "$.steps[0].boundaryEvents[0].interrupting an ERROR event is always interrupting: its step has failed",
    "$.steps[0].boundaryEvents[0].duration an ERROR event has no duration",
    "$.steps[0].boundaryEvents[0].after unknown field `after`",
    "$.steps[0].boundaryEvents[0].targetStepId there is no step `nowhere`",
  ])
})

test("a second ERROR event on one step is refused; timers beside it are not", () => {
  expect(faults(guarded(caught("b"), timer("e", true), caught("e")))).toEqual([
    "$.steps[0].boundaryEvents[2] a step has at most one ERROR event",
  ])
  expect(faults(guarded(timer("e", false), caught("b"), timer("e", true)))).toEqual([])
})

test('`onError: "continue"` beside an ERROR event is refused, "fail" is not', () => {
  const withOnError = (onError: string): Raw =>
    document([service("a", "e", { onError, boundaryEvents: [caught("e")] }), end("e")])
  expect(faults(withOnError("continue"))).toEqual([
    '$.steps[0].onError `onError: "continue"` and an ERROR event exclude each other',
  ])
  expect(faults(withOnError("fail"))).toEqual([])
})

test("an event of another type is refused with the types there are", () => {
  expect(faults(guarded({ type: "SIGNAL", targetStepId: "b" }))).toContain(
    '$.steps[0].boundaryEvents[0].type must be one of "TIMER", "ERROR"',
  )
})

test("C-48: the path of an error inherits the branch: inside a fork it must reach the join", () => {
  const forked = (next: string): Raw =>
    document([
      fork("f", ["a", "b"], "j"),
      service("a", "j", { boundaryEvents: [caught("x")] }),
      service("x", next),
      service("b", "j"),
      join("j", { nextStep: "e" }),
      end("e"),
    ])
  expect(faults(forked("j"))).toEqual([])
  expect(faults(forked("e"))).toEqual([
    "$.steps[2].nextStep a path inside fork `f` can miss its join `j`: edge `x` → `e`",
  ])
})

test("C-47: a WAIT may keep early signals and may last for a time; other steps may not", () => {
  const steps = (more: Raw): Raw => document([wait("w", { nextStep: "e", ...more }), end("e")])
  expect(faults(steps({ keepEarly: true, duration: "PT1H" }))).toEqual([])
  expect(faults(steps({ keepEarly: "yes", duration: "P1Y" }))).toEqual([
    "$.steps[0].keepEarly must be true or false, not a string",
    "$.steps[0].duration is not a valid duration",
  ])
  expect(faults(document([user("u", { keepEarly: true, duration: "PT1H" })]))).toEqual([
    "$.steps[0].keepEarly `keepEarly` does not belong on a USER_TASK",
    "$.steps[0].duration `duration` does not belong on a USER_TASK",
  ])
})
