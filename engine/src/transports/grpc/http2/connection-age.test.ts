// Old connections: their callers are told to go elsewhere, and have time for what is under way.
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { age } from "./connection-age.ts"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function session() {
  let closed = () => {}
  const fake = {
    goaway: vi.fn(),
    close: vi.fn(),
    destroy: vi.fn(),
    once: (_: "close", listener: () => void) => {
      closed = listener
    },
  }
  age(fake as never)
  return { ...fake, closed: () => closed() }
}

const MINUTE = 60_000

test("it is told to go away after ten minutes, a tenth more or less, and cut off six minutes later", () => {
  const old = session()
  vi.advanceTimersByTime(9 * MINUTE - 1)
  expect(old.goaway).not.toHaveBeenCalled()
  vi.advanceTimersByTime(2 * MINUTE + 1)
  expect(old.goaway).toHaveBeenCalledWith(0, 2 ** 31 - 1, Buffer.from("max_age"))
  expect(old.close).toHaveBeenCalledTimes(1)
  expect(old.destroy).not.toHaveBeenCalled()
  vi.advanceTimersByTime(6 * MINUTE)
  expect(old.destroy).toHaveBeenCalledTimes(1)
})

test("one that has ended leaves no timer", () => {
  const ended = session()
  ended.closed()
  expect(vi.getTimerCount()).toBe(0)
  const draining = session()
  vi.advanceTimersByTime(11 * MINUTE)
  draining.closed()
  expect(vi.getTimerCount()).toBe(0)
})
