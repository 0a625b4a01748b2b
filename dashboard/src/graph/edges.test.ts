// Which step leads to which, and what is written on the way.
import { describe, expect, test } from "vitest"
import type { Step } from "../api/definitions.ts"
import { durationWords } from "./duration-words.ts"
import { edgesOf, isLast } from "./edges.ts"

const step = (id: string, more: Partial<Step> = {}): Step => ({ id, name: id, type: "SERVICE_TASK", ...more })
const told = (steps: readonly Step[], execution?: "graph" | "steplist") =>
  edgesOf({ steps, execution }).map(({ from, to, kind, label }) => [from, to, kind, ...(label ? [label] : [])])

describe("edges of a definition", () => {
  test("next steps, branches and conditions are edges; the condition that is always true is the rest", () => {
    const steps = [
      step("fork", { parallelNextSteps: ["a", "b"], joinStep: "join" }),
      step("a", { nextStep: "join" }),
      step("b", { conditionalNextSteps: { "x > 1": "join", true: "a" } }),
      step("join"),
    ]
    expect(told(steps)).toEqual([
      ["fork", "a", "branch"],
      ["fork", "b", "branch"],
      ["a", "join", "next"],
      ["b", "join", "condition", "x > 1"],
      ["b", "a", "condition", "otherwise"],
    ])
  })

  test("a next step beside conditions is taken when none is true", () => {
    const steps = [step("a", { conditionalNextSteps: { ok: "b" }, nextStep: "c" }), step("b"), step("c")]
    expect(told(steps)).toEqual([
      ["a", "b", "condition", "ok"],
      ["a", "c", "condition", "otherwise"],
    ])
  })

  test("conditions that lead to the same step are one edge", () => {
    const steps = [step("a", { conditionalNextSteps: { x: "b", y: "b" }, nextStep: "b" }), step("b")]
    expect(told(steps)).toEqual([["a", "b", "condition", "x or y"]])
  })

  test("boundary timers say when, and whether they take the step's place", () => {
    const timer = { type: "TIMER", duration: "P2DT3H", targetStepId: "b" } as const
    const steps = [
      step("a", {
        boundaryEvents: [
          { ...timer, interrupting: false },
          { ...timer, duration: "PT30M", interrupting: true },
        ],
      }),
      step("b"),
    ]
    expect(told(steps)).toEqual([
      ["a", "b", "timer", "after 2 d 3 h"],
      ["a", "b", "timer", "after 30 min, instead"],
    ])
    expect(new Set(edgesOf({ steps }).map(({ id }) => id)).size).toBe(2)
  })

  test("an error boundary is an edge that says so, beside the timers of its step", () => {
    const boundaryEvents = [
      { type: "ERROR", interrupting: true, targetStepId: "b" },
      { type: "TIMER", duration: "PT30M", interrupting: true, targetStepId: "b" },
    ] as const
    expect(told([step("a", { boundaryEvents }), step("b")])).toEqual([
      ["a", "b", "error", "on error"],
      ["a", "b", "timer", "after 30 min, instead"],
    ])
  })

  test("a list is a chain, whatever its steps name", () => {
    expect(told([step("a"), step("b", { nextStep: "a" }), step("c")], "steplist")).toEqual([
      ["a", "b", "next"],
      ["b", "c", "next"],
    ])
  })

  test("a step that is not there is led to by nothing", () => {
    expect(told([step("a", { nextStep: "typo" })])).toEqual([])
  })

  test("a missing next step ends the path like END; a timer leads nowhere by itself", () => {
    expect(isLast(step("a"))).toBe(true)
    expect(isLast(step("a", { nextStep: "b" }))).toBe(false)
    const boundaryEvents = [{ type: "TIMER", duration: "P1D", interrupting: false, targetStepId: "b" }] as const
    expect(isLast(step("a", { boundaryEvents }))).toBe(true)
  })
})

test("durations are said as people say them; what is none is shown as it is", () => {
  expect(["P2D", "PT1H30M", "PT0.5S", "P1W", "P1DT2H3M4.5S", "soon"].map(durationWords)).toEqual([
    "2 d",
    "1 h 30 min",
    "0.5 s",
    "7 d",
    "1 d 2 h 3 min 4.5 s",
    "soon",
  ])
})
