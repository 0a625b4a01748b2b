// How often a step has been tried, by where the attempts at its run ended.
import { describe, expect, test } from "vitest"
import { type AttemptsAtStep, triesFromTop, triesOnRecord } from "./step-attempts.ts"

const at = (step: string | null, failures: number, lost = 0): AttemptsAtStep => ({
  step,
  attempts: failures + lost,
  failures,
})

describe("where steps are recorded", () => {
  const ended = [at("pay", 2), at("ship", 1), at(null, 0, 1)]

  test("a step counts the attempts that ended at it, under every name it had", () => {
    expect(triesOnRecord(["pay"], ended, { isFirst: false })).toEqual({ attempt: 3, failures: 2 })
    expect(triesOnRecord(["charge", "pay"], ended, { isFirst: false })).toEqual({ attempt: 3, failures: 2 })
    expect(triesOnRecord(["mail"], ended, { isFirst: false })).toEqual({ attempt: 1, failures: 0 })
  })

  test("a worker that was lost was at the step that comes first now: a try, and no failure", () => {
    expect(triesOnRecord(["pay"], ended, { isFirst: true })).toEqual({ attempt: 4, failures: 2 })
  })
})

describe("where each attempt begins at the top", () => {
  const steps = [["a"], ["b", "old-b"], ["c"]]

  test("every step up to the one at which it ended was tried", () => {
    const ended = [at("old-b", 2), at("c", 1)]
    const tries = steps.map((_, place) => triesFromTop(place, ended, steps))
    expect(tries).toEqual([
      { attempt: 4, failures: 0 },
      { attempt: 4, failures: 2 },
      { attempt: 2, failures: 1 },
    ])
  })

  test("one that ended nobody knows where may have tried them all", () => {
    expect(triesFromTop(2, [at(null, 0, 1), at("gone", 1)], steps)).toEqual({ attempt: 3, failures: 0 })
  })
})
