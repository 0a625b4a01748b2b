// What must hold between steps: references, reachability, an end.
import { describe, expect, test } from "vitest"
import { decision, document, end, faults, fork, join, service, timer, transformation, user, wait } from "./fixtures.ts"

describe("C-51: references resolve", () => {
  test.each([
    ["$.steps[0].nextStep", service("a", "x")],
    ["$.steps[0].nextStep", wait("a", { nextStep: "x" })],
    ["$.steps[0].nextStep", transformation("a", { transformations: { v: 1 }, nextStep: "x" })],
    ['$.steps[0].conditionalNextSteps["v > 1"]', decision("a", { conditionalNextSteps: { "v > 1": "x", true: "e" } })],
    ["$.steps[0].conditionalNextSteps.v", user("a", { conditionalNextSteps: { v: "x" }, nextStep: "e" })],
    [
      "$.steps[0].boundaryEvents[1].targetStepId",
      service("a", "e", { boundaryEvents: [timer("e", true), timer("x", true)] }),
    ],
    ["$.steps[0].parallelNextSteps[1]", fork("a", ["b", "x"], "j")],
    ["$.steps[0].joinStep", fork("a", ["b", "e"], "x")],
  ])("C-51: %s to nowhere is reported", (path, step) => {
    expect(faults(document([step, service("b", "j"), join("j", { nextStep: "e" }), end("e")]))).toContain(
      `${path} there is no step \`x\``,
    )
  })

  test("C-48: a joinStep must be a JOIN_GATEWAY", () => {
    const steps = [fork("f", ["a", "b"], "e"), service("a", "e"), service("b", "e"), end("e")]
    expect(faults(document(steps))).toEqual(["$.steps[0].joinStep `e` is a END, not a JOIN_GATEWAY"])
  })
})

describe("C-51: every step can be reached from the first", () => {
  test("C-51: a step that nothing leads to is reported", () => {
    expect(faults(document([service("a", "e"), service("lost", "e"), end("e")]))).toEqual([
      "$.steps[1] step `lost` cannot be reached from the first step",
    ])
  })

  test("C-51: behind a reference to a step that there is not, what cannot be reached is no fault of its own", () => {
    const steps = [service("a", "bb"), service("b", "c"), service("c", "e"), end("e")]
    expect(faults(document(steps))).toEqual(["$.steps[0].nextStep there is no step `bb`"])
    // What nothing leads to is a fault, whatever another lost step refers to.
    expect(faults(document([service("a", "e"), service("lost", "nowhere"), end("e")]))).toHaveLength(2)
  })

  test("C-51: a loop of its own is as lost", () => {
    expect(faults(document([service("a"), service("b", "c"), service("c", "b")]))).toHaveLength(2)
  })

  test("C-51: boundary targets, branches and joins count as edges", () => {
    const steps = [
      service("a", "f", { boundaryEvents: [timer("late", true), timer("remind", false)] }),
      fork("f", ["b", "c"], "j"),
      service("b", "j"),
      service("c", "j"),
      join("j", { nextStep: "e" }),
      end("e"),
      end("late"),
      service("remind"),
    ]
    expect(faults(document(steps))).toEqual([])
  })

  test("C-51: the order of steps does not matter except for the first", () => {
    expect(faults(document([service("a", "b"), end("c"), service("b", "c")]))).toEqual([])
  })
})

describe("C-49: a token can end", () => {
  test("C-49: several ENDs are fine", () => {
    const choice = decision("a", { conditionalNextSteps: { "x > 1": "e1", true: "e2" } })
    expect(faults(document([choice, end("e1"), end("e2")]))).toEqual([])
  })

  test("C-43: a task without nextStep acts as END", () => {
    expect(faults(document([service("a", "b"), user("b")]))).toEqual([])
    expect(faults(document([service("a")]))).toEqual([])
  })

  test("C-44: a task with conditions and no nextStep can end too", () => {
    expect(faults(document([user("a", { conditionalNextSteps: { again: "a" } })]))).toEqual([])
  })

  test("C-49: without any end the definition is refused", () => {
    expect(faults(document([service("a", "b"), service("b", "a")]))).toEqual(["$.steps no END can be reached"])
    expect(faults(document([service("a", "a"), end("e")]))).toEqual([
      "$.steps[1] step `e` cannot be reached from the first step",
      "$.steps no END can be reached",
    ])
  })

  test("C-51: loops with a way out are fine", () => {
    const choice = decision("b", { conditionalNextSteps: { again: "a", true: "e" } })
    expect(faults(document([service("a", "b"), choice, end("e")]))).toEqual([])
  })
})

test("in a step list the order is the way, so no step needs nextStep", () => {
  const steps = [service("a"), service("b"), service("c")]
  expect(faults(document(steps, { execution: "steplist", recover: "restart" }))).toEqual([])
  expect(faults(document(steps))).toHaveLength(2)
})
