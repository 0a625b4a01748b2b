// The exact sliding window as a property: over any calls, no interval holds more than the limit.
import fc from "fast-check"
import { expect, test } from "vitest"
import { admit, leftWindow } from "./sliding-window.ts"

test("a call is outside when it is as old as the window is long", () => {
  expect(leftWindow([0, 1, 2], 60, 60)).toBe(1)
  expect(leftWindow([], 60, 60)).toBe(0)
  expect(leftWindow([0, 1], 1_000, 60)).toBe(2)
})

test("E-07: the last of the limit is admitted with none left, and the one after it is refused", () => {
  expect(admit(99, 100)).toEqual({ isAdmitted: true, remaining: 0 })
  expect(admit(100, 100)).toEqual({ isAdmitted: false, remaining: 0 })
  expect(admit(0, 0).isAdmitted).toBe(false)
})

test("G1: in every interval of the window's length at most the limit is admitted, and a call is refused only when it is full", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 200 })
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 100 }), (steps, most, windowMs) => {
      const admitted: number[] = []
      let nowMs = 0
      for (const step of steps) {
        nowMs += step
        const inWindow = admitted.length - leftWindow(admitted, nowMs, windowMs)
        expect(inWindow).toBeLessThanOrEqual(most)
        const { isAdmitted } = admit(inWindow, most)
        expect(isAdmitted).toBe(inWindow < most)
        if (isAdmitted) admitted.push(nowMs)
      }
      for (const end of admitted)
        expect(admitted.filter((at) => at <= end && at > end - windowMs).length).toBeLessThanOrEqual(most)
    }),
  )
})
