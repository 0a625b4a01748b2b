import { beforeEach, expect, test } from "vitest"
import { ManualClock } from "../../test-support/manual-clock.ts"
import { WorkerSightings } from "./worker-sightings.ts"

let clock: ManualClock
let sightings: WorkerSightings
beforeEach(() => {
  clock = new ManualClock()
  sightings = new WorkerSightings(clock)
})

const taken = () => sightings.take().map(({ workerId, jobTypes, msAgo }) => [workerId, jobTypes.join(), msAgo])

test("a worker that polls is told of once, with how long ago that was", () => {
  sightings.note("w1", ["a", "b"])
  clock.advance(1_500)
  expect(taken()).toEqual([["w1", "a,b", 1_500]])
  expect(taken()).toEqual([])
})

test("again after ten seconds, with its last poll and not with the time of the telling", () => {
  sightings.note("w1", ["a"])
  expect(taken()).toHaveLength(1)
  clock.advance(4_000)
  sightings.note("w1", ["a"])
  expect(taken()).toEqual([])
  clock.advance(5_999)
  expect(taken()).toEqual([])
  clock.advance(1)
  expect(taken()).toEqual([["w1", "a", 6_000]])
})

test("at once when it asks for something else", () => {
  sightings.note("w1", ["a"])
  expect(taken()).toHaveLength(1)
  sightings.note("w1", ["a", "b"])
  expect(taken()).toEqual([["w1", "a,b", 0]])
})

test("names that cannot be stored hold up nothing", () => {
  sightings.note("w\0", ["a"])
  sightings.note("w\ud800", ["a"])
  sightings.note("w1", ["a", "b\0", "\udfff"])
  expect(taken()).toEqual([["w1", "a", 0]])
})

test("new names without end fill neither the memory nor a statement", () => {
  for (let n = 0; n < 20_000; n++) sightings.note(`w${n}`, ["a"])
  const written: string[] = []
  let most = 0
  for (let n = 0; n < 25; n++) {
    const workers = sightings.take()
    most = Math.max(most, workers.length)
    written.push(...workers.map(({ workerId }) => workerId))
  }
  expect([most, written.length, new Set(written).size]).toEqual([500, 10_000, 10_000])
})

test("workers that ask for very many types are written a few at a time", () => {
  const many = Array.from({ length: 1_000 }, (_, n) => `type-${n}`)
  for (let n = 0; n < 15; n++) sightings.note(`w${n}`, many)
  expect([taken().length, taken().length, taken().length]).toEqual([10, 5, 0])
})
