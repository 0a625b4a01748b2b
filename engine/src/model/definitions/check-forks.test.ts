// Forks and joins: every path inside a fork meets its join, at any depth.
import { describe, expect, test } from "vitest"
import { decision, document, end, faults, fork, join, type Raw, service, timer } from "./fixtures.ts"

const missed = (fork: string, join: string, from: string, to: string): string =>
  `a path inside fork \`${fork}\` can miss its join \`${join}\`: edge \`${from}\` → ${to === "(end)" ? to : `\`${to}\``}`

/** A fork f with branches a and b, of which a is given. */
const forked = (a: Raw, ...more: Raw[]): Raw =>
  document([fork("f", ["a", "b"], "j"), a, service("b", "j"), join("j", { nextStep: "e" }), end("e"), ...more])

/** Forks inside forks: each level is a branch of the one around it. */
function nested(depth: number): Raw[] {
  const levels = Array.from({ length: depth }, (_, level) => [
    fork(`f${level}`, [`a${level}`, level + 1 < depth ? `f${level + 1}` : `b${level}`], `j${level}`),
    service(`a${level}`, `j${level}`),
    join(`j${level}`, { nextStep: level === 0 ? "e" : `j${level - 1}` }),
  ])
  return [...levels.flat(), service(`b${depth - 1}`, `j${depth - 1}`), end("e")]
}

describe("C-48: what is allowed", () => {
  test("C-48: branches of several steps, decisions and loops that all lead to the join", () => {
    const choice = decision("a", { conditionalNextSteps: { again: "a2", true: "j" } })
    expect(faults(forked(choice, service("a2", "a")))).toEqual([])
  })

  test("C-48: a branch may be empty", () => {
    const steps = [fork("f", ["j", "b"], "j"), service("b", "j"), join("j", { nextStep: "e" }), end("e")]
    expect(faults(document(steps))).toEqual([])
  })

  test.each([1, 2, 3, 30, 250])("C-48: forks may nest %d deep", (depth) => {
    expect(faults(document(nested(depth)))).toEqual([])
  })

  test("C-48: a loop around a whole fork", () => {
    const steps = [
      fork("f", ["a", "b"], "j"),
      service("a", "j"),
      service("b", "j"),
      join("j", { nextStep: "d" }),
      decision("d", { conditionalNextSteps: { again: "f", true: "e" } }),
      end("e"),
    ]
    expect(faults(document(steps))).toEqual([])
  })

  test("C-48: two forks one after the other, or of which one is chosen, may share a join", () => {
    const steps = [
      decision("d", { conditionalNextSteps: { x: "f", true: "g" } }),
      fork("f", ["a", "b"], "j"),
      fork("g", ["b", "a"], "j"),
      service("a", "j"),
      service("b", "j"),
      join("j", { nextStep: "e" }),
      end("e"),
    ]
    expect(faults(document(steps))).toEqual([])
  })

  test("C-48: an interrupting boundary path inherits the branch and leads to the join", () => {
    expect(faults(forked(service("a", "j", { boundaryEvents: [timer("x", true)] }), service("x", "j")))).toEqual([])
    expect(faults(forked(service("a", "j", { boundaryEvents: [timer("j", true)] })))).toEqual([])
  })

  test("C-48: a non-interrupting boundary path belongs to no fork and ends on its own", () => {
    expect(faults(forked(service("a", "j", { boundaryEvents: [timer("x", false)] }), service("x")))).toEqual([])
    expect(faults(forked(service("a", "j", { boundaryEvents: [timer("e", false)] })))).toEqual([])
  })
})

describe("C-48: a path that can miss its join is an error naming the edge", () => {
  test.each<[string, Raw, string]>([
    ["a branch that ends in END", forked(service("a", "e")), `$.steps[1].nextStep ${missed("f", "j", "a", "e")}`],
    ["a branch without nextStep", forked(service("a")), `$.steps[1] ${missed("f", "j", "a", "(end)")}`],
    [
      "one way out of a decision",
      forked(decision("a", { conditionalNextSteps: { x: "j", true: "e" } })),
      `$.steps[1].conditionalNextSteps.true ${missed("f", "j", "a", "e")}`,
    ],
    [
      "a later step of the branch",
      forked(service("a", "a2"), service("a2", "e")),
      `$.steps[5].nextStep ${missed("f", "j", "a2", "e")}`,
    ],
    [
      "a condition without a fallback",
      forked(service("a", undefined, { conditionalNextSteps: { x: "j" } })),
      `$.steps[1] ${missed("f", "j", "a", "(end)")}`,
    ],
    [
      "an interrupting timer to an END",
      forked(service("a", "j", { boundaryEvents: [timer("e", true)] })),
      `$.steps[1].boundaryEvents[0].targetStepId ${missed("f", "j", "a", "e")}`,
    ],
    [
      "a branch that is an END",
      document([fork("f", ["e", "b"], "j"), service("b", "j"), join("j", { nextStep: "e" }), end("e")]),
      `$.steps[0].parallelNextSteps[0] ${missed("f", "j", "f", "e")}`,
    ],
    [
      "a non-interrupting path to the join",
      forked(service("a", "j", { boundaryEvents: [timer("x", false)] }), service("x", "j")),
      "$.steps[5].nextStep join `j` is reached from outside its fork: edge `x` → `j`",
    ],
    [
      "a non-interrupting path into a step of the branch",
      forked(service("a", "a2", { boundaryEvents: [timer("a2", false)] }), service("a2", "j")),
      "$.steps[5].nextStep join `j` is reached from outside its fork: edge `a2` → `j`",
    ],
    [
      "a way back to the fork",
      forked(decision("a", { conditionalNextSteps: { x: "f", true: "j" } })),
      "$.steps[1].conditionalNextSteps.x fork `f` is entered again from inside itself: edge `a` → `f`",
    ],
  ])("C-48: %s", (_what, value, fault) => expect(faults(value)).toEqual([fault]))

  test("C-48: a join without a fork", () => {
    expect(faults(document([service("a", "j"), join("j", { nextStep: "e" }), end("e")]))).toEqual([
      "$.steps[0].nextStep join `j` is reached from outside its fork: edge `a` → `j`",
    ])
    expect(faults(document([join("j", { nextStep: "e" }), end("e")]))).toEqual([
      "$.steps[0] the first step is the join `j`",
    ])
  })

  test("C-48: an inner branch that goes straight to the outer join", () => {
    const steps = nested(2).map((step) => (step.id === "b1" ? service("b1", "j0") : step))
    expect(faults(document(steps))).toEqual([`$.steps[6].nextStep ${missed("f1", "j1", "b1", "j0")}`])
  })

  test("C-48: an outer branch that goes to the inner join", () => {
    const steps = nested(2).map((step) => (step.id === "a0" ? service("a0", "j1") : step))
    expect(faults(document(steps))).toEqual([`$.steps[1].nextStep ${missed("f0", "j0", "a0", "j1")}`])
  })

  test("C-48: inner and outer fork cannot share a join", () => {
    const steps = [
      fork("f", ["a", "g"], "j"),
      fork("g", ["b", "c"], "j"),
      ...["a", "b", "c"].map((id) => service(id, "j")),
      join("j", { nextStep: "e" }),
      end("e"),
    ]
    expect(faults(document(steps))).toEqual([`$.steps[5].nextStep ${missed("f", "j", "j", "e")}`])
  })

  test("C-48: two branches that swap their forks", () => {
    const steps = [
      fork("f", ["g", "h"], "j"),
      fork("g", ["a", "b"], "gj"),
      fork("h", ["c", "d"], "hj"),
      service("a", "hj"),
      service("b", "gj"),
      service("c", "hj"),
      service("d", "hj"),
      join("gj", { nextStep: "j" }),
      join("hj", { nextStep: "j" }),
      join("j", { nextStep: "e" }),
      end("e"),
    ]
    expect(faults(document(steps))).toEqual([`$.steps[3].nextStep ${missed("g", "gj", "a", "hj")}`])
  })

  test("SEC-42: definitions with too many combinations of forks are refused in bounded time", () => {
    // At each level one of two forks is opened on the way down: the number of stacks doubles.
    const depth = 20
    const levels = Array.from({ length: depth }, (_, level) => [
      decision(`d${level}`, { conditionalNextSteps: { x: `f${level}`, true: `g${level}` } }),
      fork(`f${level}`, [`d${level + 1}`, `a${level}`], `fj${level}`),
      fork(`g${level}`, [`d${level + 1}`, `b${level}`], `gj${level}`),
      service(`a${level}`, `fj${level}`),
      service(`b${level}`, `gj${level}`),
      join(`fj${level}`, { nextStep: "e" }),
      join(`gj${level}`, { nextStep: "e" }),
    ])
    const found = faults(document([...levels.flat(), service(`d${depth}`), end("e")]))
    expect(found).toContain("$.steps forks nest in more than 20000 ways")
  })
})
