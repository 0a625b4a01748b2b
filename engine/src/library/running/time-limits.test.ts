// One timer for the time limits of all attempts: each is over at its own time, and none twice.
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import type { RunningJob } from "./running-job.ts"
import { TimeLimits } from "./time-limits.ts"

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }))
afterEach(() => void vi.useRealTimers())

interface Running {
  readonly runMs: number | undefined
  readonly dueAt: number
  isOver: boolean
}

function limited() {
  const running = new Set<Running>()
  const over: number[] = []
  let passed = 0
  const limits = new TimeLimits(running as unknown as Set<RunningJob>, (job, runMs) => {
    ;(job as unknown as Running).isOver = true
    over.push(runMs)
  })
  const begin = (runMs?: number) => {
    const job = { runMs, dueAt: passed + (runMs ?? Number.POSITIVE_INFINITY), isOver: false }
    running.add(job)
    limits.watch(job as unknown as RunningJob)
    return () => running.delete(job)
  }
  const pass = (ms: number) => {
    passed += ms
    vi.advanceTimersByTime(ms)
  }
  return { begin, pass, over, limits }
}

test("C-128: each attempt is over at its own time, whichever began first", () => {
  const { begin, pass, over } = limited()
  for (const runMs of [300, 100, undefined, 200]) begin(runMs)
  pass(99)
  expect(over).toEqual([])
  pass(1)
  expect(over).toEqual([100])
  pass(100)
  expect(over).toEqual([100, 200])
  pass(1_000)
  expect(over).toEqual([100, 200, 300])
})

test("an attempt that ended in time is never over, and those after it keep their time", () => {
  const { begin, pass, over, limits } = limited()
  const end = begin(100)
  pass(50)
  begin(100)
  end()
  pass(99)
  expect(over).toEqual([])
  pass(1)
  expect(over).toEqual([100])
  begin(100)
  limits.close()
  expect(vi.getTimerCount()).toBe(0)
})
