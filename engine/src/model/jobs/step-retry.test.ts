// Which failures of a step are tried again, and by whose retries.
import { describe, expect, test } from "vitest"
import { isTriedAgain, judgeFailure, ruleOfStep } from "./step-retry.ts"

describe("which errors", () => {
  test.each([
    ["marked", "marked", true],
    ["marked", "plain", false],
    ["marked", "final", false],
    ["all", "marked", true],
    ["all", "plain", true],
    ["all", "final", false],
  ] as const)("A-27: under %s an error that is %s is tried again: %s", (errors, kind, retryable) => {
    expect(judgeFailure({ errors }, kind, 0)).toEqual({ retryable })
  })
})

describe("whose retries", () => {
  test("a step with a number of its own counts its own failures", () => {
    const left = [0, 1, 2, 3, 4].map((failures) => judgeFailure({ errors: "all", retries: 3 }, "plain", failures).own)
    expect(left.map((own) => own?.left)).toEqual([3, 2, 1, 0, 0])
    expect(left.map((own) => own?.spent)).toEqual([0, 1, 2, 3, 4])
  })

  test("unlimited has no end", () => {
    const verdict = judgeFailure({ errors: "all", retries: "unlimited" }, "plain", 1e6)
    expect(isTriedAgain(verdict, 0)).toBe(true)
  })

  test("its own decide where it has some, else those of the run, and neither helps what is final", () => {
    const own = { left: 0, spent: 3 }
    expect(isTriedAgain({ retryable: true, own }, 5)).toBe(false)
    expect(isTriedAgain({ retryable: true }, 5)).toBe(true)
    expect(isTriedAgain({ retryable: true }, 0)).toBe(false)
    expect(isTriedAgain({ retryable: false }, 5)).toBe(false)
  })
})

test("a step that says nothing follows its workflow, but for the number of retries, which is the run's", () => {
  const backoff = { baseMs: 1, factor: 1, capMs: 1, jitter: "none" } as const
  const workflow = { errors: "all", retries: 7, backoff } as const
  expect(ruleOfStep(undefined, workflow)).toEqual({ errors: "all", backoff })
  expect(ruleOfStep({ errors: "marked", retries: 2 }, workflow)).toEqual({ errors: "marked", retries: 2, backoff })
})
