// The gate's two rules, on every depth and every pair of marks.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { turnGate } from "./gate.ts"

const marks = { high: 100, low: 20 }

describe("S21, D-12", () => {
  test.each([
    ["open below the high mark", false, 99, false],
    ["shuts at the high mark", false, 100, true],
    ["stays shut between the marks", true, 99, true],
    ["stays shut at the low mark", true, 20, true],
    ["opens below the low mark", true, 19, false],
    ["stays open between the marks", false, 20, false],
  ])("%s", (_, isShut, depth, expected) => {
    expect(turnGate(isShut, depth, marks)).toBe(expected)
  })

  test("once turned it stays: the same depth never turns it back", () => {
    const depths = fc.nat(1_000)
    fc.assert(
      fc.property(fc.boolean(), depths, depths, depths, (isShut, depth, high, low) => {
        const once = turnGate(isShut, depth, { high, low })
        expect(turnGate(once, depth, { high, low })).toBe(once)
      }),
    )
  })

  test("F60: a depth that wavers by less than the band turns it once at most", () => {
    const wave = fc.array(fc.integer({ min: 21, max: 99 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(fc.boolean(), wave, (isShut, depths) => {
        expect(depths.reduce((state, depth) => turnGate(state, depth, marks), isShut)).toBe(isShut)
      }),
    )
  })
})
