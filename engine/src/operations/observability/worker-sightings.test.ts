import { beforeEach, expect, test } from "vitest"
import { ManualClock } from "../../test-support/manual-clock.ts"
import { WorkerSightings } from "./worker-sightings.ts"

let clock: ManualClock
let sightings: WorkerSightings
beforeEach(() => {
  clock = new ManualClock()
  sightings = new WorkerSightings(clock)
})

/** A poll that is answered at once. */
function ask(workerId: string, jobTypes: readonly string[]): void {
  sightings.begin(workerId, jobTypes)
  sightings.end(workerId, false)
}
const taken = () =>
  sightings.take().sightings.map(({ workerId, jobTypes, msAgo }) => [workerId, jobTypes.join(), msAgo])

test("a worker that polls is told of once, with how long ago that was", () => {
  ask("w1", ["a", "b"])
  clock.advance(1_500)
  expect(taken()).toEqual([["w1", "a,b", 1_500]])
  expect(taken()).toEqual([])
})

test("again after ten seconds, with its last poll and not with the time of the telling", () => {
  ask("w1", ["a"])
  expect(taken()).toHaveLength(1)
  clock.advance(4_000)
  ask("w1", ["a"])
  expect(taken()).toEqual([])
  clock.advance(5_999)
  expect(taken()).toEqual([])
  clock.advance(1)
  expect(taken()).toEqual([["w1", "a", 6_000]])
})

test("at once when it asks for something else", () => {
  ask("w1", ["a"])
  expect(taken()).toHaveLength(1)
  ask("w1", ["a", "b"])
  expect(taken()).toEqual([["w1", "a,b", 0]])
})

test("names that cannot be stored hold up nothing", () => {
  ask("w\0", ["a"])
  ask("w\ud800", ["a"])
  ask("w1", ["a", "b\0", "\udfff"])
  expect(taken()).toEqual([["w1", "a", 0]])
})

test("new names without end fill neither the memory nor a statement", () => {
  for (let n = 0; n < 20_000; n++) ask(`w${n}`, ["a"])
  const written: string[] = []
  let most = 0
  for (let n = 0; n < 25; n++) {
    const { sightings: workers } = sightings.take()
    most = Math.max(most, workers.length)
    written.push(...workers.map(({ workerId }) => workerId))
  }
  expect([most, written.length, new Set(written).size]).toEqual([500, 10_000, 10_000])
})

test("workers that ask for very many types are written a few at a time", () => {
  const many = Array.from({ length: 1_000 }, (_, n) => `type-${n}`)
  for (let n = 0; n < 15; n++) ask(`w${n}`, many)
  expect([taken().length, taken().length, taken().length]).toEqual([10, 5, 0])
})

const left = () => sightings.take().departures.map(({ workerId, msAgo }) => [workerId, msAgo])

test("a worker that waits for an answer is seen as long as it waits", () => {
  sightings.begin("w1", ["a"])
  expect(taken()).toEqual([["w1", "a", 0]])
  clock.advance(25_000)
  expect(taken()).toEqual([["w1", "a", 0]])
  clock.advance(2_000)
  sightings.end("w1", false)
  clock.advance(8_000)
  expect(taken()).toEqual([["w1", "a", 8_000]])
  clock.advance(60_000)
  expect(taken()).toEqual([])
})

test("one that hangs up has left, and is told of once; one that asks again has not", () => {
  sightings.begin("w1", ["a"])
  sightings.begin("w2", ["a"])
  expect(taken()).toHaveLength(2)
  for (const name of ["w1", "w2"]) sightings.end(name, true)
  ask("w2", ["a"])
  clock.advance(500)
  expect(left()).toEqual([["w1", 500]])
  expect(left()).toEqual([])
})

test("a sighting may be too late by the time that its statement took: one that leaves has left after it", () => {
  sightings.begin("w1", ["a"])
  expect(taken()).toHaveLength(1)
  clock.advance(300)
  sightings.noteWritten()
  sightings.end("w1", true)
  clock.advance(20)
  expect(left()).toEqual([["w1", -280]])
})

test("one that was stopped has left, also where it was busy and asked for nothing; not while another poll of it waits", () => {
  ask("w1", ["a"])
  sightings.leave("w1")
  sightings.begin("w2", ["a"])
  sightings.begin("w2", ["b"])
  sightings.end("w2", true)
  sightings.leave("unknown")
  expect(left()).toEqual([["w1", 0]])
  sightings.end("w2", true)
  expect(left()).toEqual([["w2", 0]])
})

test("a name that cannot be stored leaves without a word", () => {
  ask("w\0", ["a"])
  sightings.leave("w\0")
  expect(left()).toEqual([])
})
