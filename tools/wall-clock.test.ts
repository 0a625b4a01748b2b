// Tests do not look at the clock on the wall: a busy machine would fail them. What is left of it has a reason here.
import { describe, expect, test } from "vitest"
import { isTest, list, read } from "./files.ts"

interface Rule {
  readonly what: string
  readonly pattern: RegExp
  readonly instead: string
  /** By file, why it is right there. */
  readonly allowed: Readonly<Record<string, string>>
}

const RULES: readonly Rule[] = [
  {
    what: "measures how long something takes",
    pattern: /\bperformance\.now\b|\bhrtime\b|\b(Date\.now|nowMs)\(\) - \w*([aA]t|[sS]tart\w*|[bB]eg[au]n)\b/,
    instead:
      "count the work (statements, rows, batches), or assert what the time stood for: who was told, who still waits",
    allowed: {
      "engine/src/operations/definitions/definition-activity.test.ts": "moves the clock of the process",
      "engine/src/operations/people/sessions.test.ts": "moves the clock of the process",
      "engine/src/operations/people/tokens.test.ts": "moves the clock of the process",
      "engine/src/simulation/virtual-globals.ts": "puts a virtual clock in its place",
      "engine/src/test-support/stand-still.ts": "stops the clock of the process",
      "tools/house-style.test.ts": "forbids the same in the model",
    },
  },
  {
    what: "sleeps",
    pattern: /\bsetTimeout\([^()]*, [\d_]+\)|\bfrom "node:timers\/promises"|\bwaitForTimeout\(/,
    instead: "wait for a signal with a gate or expect.poll, or move the clock",
    allowed: {
      "engine/src/library/running/drain.test.ts": "steps that overlap; a stop that must not come early",
      "engine/src/library/running/function-form/function-branches.test.ts":
        "code that waits for something the engine knows nothing of",
      "engine/src/library/running/list-claims.test.ts": "steps that overlap",
      "engine/src/library/running/list-storm.test.ts": "the pace of a storm, and of a caller that asks again",
      "engine/src/library/running/long-runs.test.ts": "a step that ends when its function is over",
      "engine/src/simulation/virtual-globals.ts": "puts a virtual sleep in its place",
      "engine/src/test-support/interleave.ts": "looks for locks again when nothing has changed",
    },
  },
  {
    what: "has a deadline of its own for a poll",
    pattern: /\.poll\(.*\btimeout:/,
    instead: "leave it to vitest.config.ts, which is generous",
    allowed: {},
  },
  {
    what: "begins a poll that may lose a race",
    pattern: /\b(const|let) \w+ = expect\.poll\(|\brace\(.*expect\.poll\(/,
    instead:
      "put both ends into the condition of one poll: one that has lost goes on for minutes, and moves the fake clocks of other files",
    allowed: {},
  },
]

const tests = [
  "engine/src",
  "guard/src",
  "dashboard/src",
  "sdks/typescript/src",
  "conformance/src",
  "examples",
  "tools",
]
  .flatMap((folder) => list(folder, isTest))
  .filter((path) => /\.ts$/.test(path) && path !== "tools/wall-clock.test.ts")

const offenders = ({ pattern }: Rule): string[] => tests.filter((path) => pattern.test(read(path)))

describe.each(RULES)("D-53: a test that $what", (rule) => {
  test("is not there, but for what has a reason", () => {
    const found = offenders(rule).filter((path) => !(path in rule.allowed))
    expect(found, rule.instead).toEqual([])
  })

  test("and no reason is left over", () => {
    const found = new Set(offenders(rule))
    expect(Object.keys(rule.allowed).filter((path) => !found.has(path))).toEqual([])
  })
})

test("nothing is tried again until it passes", () => {
  expect(read("vitest.config.ts")).not.toMatch(/\bretry\b\s*:/)
})
