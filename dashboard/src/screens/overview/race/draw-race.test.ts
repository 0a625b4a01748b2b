import { describe, expect, test } from "vitest"
import type { Overview } from "../../../api/overview.ts"
import { downstream, lane, overviewOf } from "../test-support/overviews.ts"
import { type DrawnRace, doorsShown, drawRace, type Stream } from "./draw-race.ts"
import { figuresOf } from "./figures.ts"
import { pipe } from "./pipe.ts"
import type { Box } from "./places.ts"

const draw = (overview: Overview, width = 1_000) => {
  const figures = doorsShown(figuresOf(overview), width)
  return drawRace(figures, width)
}
const streamOf = ({ streams }: DrawnRace, key: string) => streams.find((stream) => stream.key === key) as Stream
const door = (name: Overview["intake"][number]["door"], acceptedPerSecond: number, refusedPerSecond = 0) => ({
  door: name,
  acceptedPerSecond,
  refusedPerSecond,
})

test("before the page is laid out its width is nothing: no box is less than that", () => {
  const race = draw(overviewOf({ downstreams: [downstream("bank")] }), 0)
  const { doors, canal, channels, outlets, done, drain, tailrace } = race.places
  const boxes = [...doors, ...canal, ...channels, ...outlets, done, drain, tailrace]
  expect(boxes.filter(({ width, height }) => width < 0 || height < 0)).toEqual([])
})

describe("levels and gates are to scale", () => {
  test("water stands as high as the depth, against the marks of its gate", () => {
    const { channels } = draw(overviewOf({ lanes: [lane("critical", { depth: 5_000 }), lane("high"), lane("normal")] }))
    const [critical, high] = channels
    expect(critical?.jobs).toBeCloseTo((critical?.high ?? 0) / 2)
    expect(critical?.low).toBeCloseTo((critical?.high ?? 0) / 5)
    expect(critical?.high).toBeLessThan(critical?.box.height ?? 0)
    expect(high).toMatchObject({ jobs: 0, steps: 0, isShut: false })
  })

  test("a little water is seen, and more than the channel holds stays within it", () => {
    const { channels } = draw(
      overviewOf({
        lanes: [lane("critical", { depth: 1 }), lane("high", { depth: 40_000, steps: 9_000 }), lane("normal")],
      }),
    )
    expect(channels[0]?.jobs).toBe(2)
    expect((channels[1]?.jobs ?? 0) + (channels[1]?.steps ?? 0)).toBeLessThan(channels[1]?.box.height ?? 0)
  })

  test("D-03: a shut gate is drawn shut, one that is paused is plugged", () => {
    const lanes = [lane("critical", { shut: true }), lane("high", { paused: true }), lane("normal")]
    expect(draw(overviewOf({ lanes })).channels.map(({ isShut, isPaused }) => [isShut, isPaused])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ])
  })

  test("D-04: the way from a channel to the wheel is as wide as the priority's weight", () => {
    const race = draw(overviewOf())
    const [critical, high, normal] = ["critical", "high", "normal"].map(
      (name) => streamOf(race, `claims ${name}`).width,
    )
    expect((critical ?? 0) - 3).toBeCloseTo(2 * ((high ?? 0) - 3))
    expect((high ?? 0) - 3).toBeCloseTo(3 * ((normal ?? 0) - 3))
  })

  test("an outlet is as wide as its pace, one without a limit is open, and what is held stands before it", () => {
    const downstreams = [
      downstream("mail", { perSecond: 50, waiting: 100 }),
      downstream("sms", { perSecond: 25, waiting: 25, paused: true }),
      downstream("bank"),
    ]
    const [mail, sms, bank, direct] = draw(overviewOf({ downstreams })).outlets
    expect(sms?.pipe).toBeCloseTo((mail?.pipe ?? 0) / 2)
    expect([mail?.held, sms?.held, bank?.held]).toEqual([1, 0.25, 0])
    expect([mail, sms, bank, direct].map((outlet) => [outlet?.isClosed, outlet?.hasNoLimit])).toEqual([
      [false, false],
      [true, false],
      [false, true],
      [false, true],
    ])
  })

  test("a paddle is a worker, filled while it has a job; of many they are shares", () => {
    expect(draw(overviewOf({ workers: 5, busyWorkers: 2 })).wheel).toMatchObject({ paddles: 5, busy: 2 })
    expect(draw(overviewOf({ workers: 800, busyWorkers: 400 })).wheel).toMatchObject({ paddles: 16, busy: 8 })
    expect(draw(overviewOf({ workers: 800, busyWorkers: 1 })).wheel.busy).toBe(1)
  })
})

describe("drops pass at the true rate", () => {
  test("each is one job while the eye can follow; then ten, a hundred, in the whole picture alike", () => {
    const at = (rate: number) =>
      draw(
        overviewOf({
          intake: [door("rest", rate), door("grpc", 1)],
          lanes: [lane("critical", { claimedPerSecond: 4 }), lane("high"), lane("normal")],
        }),
      )
    expect(at(8).jobsPerDrop).toBe(1)
    expect(streamOf(at(8), "door rest").drops).toBe(8)
    expect(at(480).jobsPerDrop).toBe(100)
    expect(streamOf(at(480), "door rest").drops).toBeCloseTo(4.8)
    expect(streamOf(at(480), "claims critical").drops).toBeCloseTo(0.04)
    expect(at(9e8).jobsPerDrop).toBe(1e8)
  })

  test("the wheel moves one paddle on for each drop", () => {
    const lanes = [lane("critical", { claimedPerSecond: 8 }), lane("high"), lane("normal")]
    expect(draw(overviewOf({ lanes, workers: 4 })).wheel.turnsPerSecond).toBe(2)
  })

  test("what goes to no downstream is what is left of all claims", () => {
    const lanes = [lane("critical", { claimedPerSecond: 8 }), lane("high"), lane("normal", { claimedPerSecond: 2 })]
    const race = draw(overviewOf({ lanes, downstreams: [downstream("mail", { startedPerSecond: 3 })] }))
    expect(streamOf(race, "outlet named mail").drops).toBe(3)
    expect(streamOf(race, "outlet direct ").drops).toBe(7)
    expect(streamOf(race, "out").drops).toBe(10)
  })

  test("refused work leaves by a way of its own, which is not there without any", () => {
    expect(streamOf(draw(overviewOf({ intake: [door("rest", 1)] })), "refused")).toBeUndefined()
    expect(streamOf(draw(overviewOf({ intake: [door("rest", 1, 3)] })), "refused")).toMatchObject({
      drops: 3,
      tone: "bad",
    })
  })
})

describe("what is drawn", () => {
  test("an engine that does nothing is the same picture, dry, with the usual doors", () => {
    const figures = figuresOf(overviewOf())
    expect(figures.isDry).toBe(true)
    expect(figures.doors.map(({ door }) => door)).toEqual(["rest", "grpc", "library"])
    const race = drawRace(figures, 1_000)
    expect(race.streams.every(({ drops }) => drops === 0)).toBe(true)
    expect(race.channels).toHaveLength(3)
    expect(race.wheel).toEqual({ paddles: 8, busy: 0, turnsPerSecond: 0 })
  })

  test("jobs that wait, steps that wait and leases each make it wet", () => {
    const lanes = [lane("critical"), lane("high"), lane("normal", { steps: 1 })]
    expect(figuresOf(overviewOf({ lanes })).isDry).toBe(false)
    expect(figuresOf(overviewOf({ leases: 1 })).isDry).toBe(false)
    expect(figuresOf(overviewOf({ rates: { rejected: 1 } })).isDry).toBe(false)
  })

  test("only doors by which something comes; on a narrow page the three busiest", () => {
    const intake = [door("rest", 4), door("grpc", 0), door("library", 3), door("kafka", 9), door("schedule", 0.5)]
    const names = (width: number) => doorsShown(figuresOf(overviewOf({ intake })), width).doors.map(({ door }) => door)
    expect(names(1_000)).toEqual(["rest", "library", "kafka", "schedule"])
    expect(names(358)).toEqual(["kafka", "rest", "library"])
  })

  test("of many downstreams the busiest four, and the others as one", () => {
    const downstreams = ["a", "b", "c", "d", "e", "f"].map((name) =>
      downstream(name, { waiting: 2, startedPerSecond: 1, inFlight: 3 }),
    )
    const { outlets } = figuresOf(overviewOf({ downstreams }))
    expect(outlets.map(({ kind, name }) => `${kind} ${name}`.trim())).toEqual([
      "named a",
      "named b",
      "named c",
      "named d",
      "others 2 more",
      "direct",
    ])
    expect(outlets[4]).toMatchObject({ perSecond: 2, held: 4, inFlight: 6 })
  })
})

describe("places", () => {
  const everything = overviewOf({
    intake: overviewOf().intake.map(({ door: name }) => door(name, 1, 1)),
    downstreams: Array.from({ length: 50 }, (_, n) => downstream(`d${n}`)),
    workers: 3,
  })

  test.each([320, 358, 700, 820, 1_000, 1_392])("at %i px every part lies within the picture", (width) => {
    const { places, streams } = draw(everything, width)
    const { doors, overflow, canal, channels, tailrace, outlets, collector, done, drain, wheel } = places
    const round = { x: wheel.x - wheel.radius, y: wheel.y - wheel.radius, width: 0, height: 0 }
    const boxes = [...doors, overflow, ...canal, ...channels, tailrace, ...outlets, done, drain, round]
    for (const box of [...boxes, ...(collector ? [collector] : [])]) expect(isWithin(box, places)).toBe(true)
    for (const { path } of streams)
      for (const [, x, y] of path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)) {
        expect(Number(x)).toBeGreaterThanOrEqual(0)
        expect(Number(x)).toBeLessThanOrEqual(width)
        expect(Number(y)).toBeGreaterThanOrEqual(0)
        expect(Number(y)).toBeLessThanOrEqual(places.height)
      }
  })

  test.each([358, 1_000])("at %i px no two parts of a kind lie on each other", (width) => {
    const { doors, channels, outlets, done, drain } = draw(everything, width).places
    for (const kind of [doors, channels, outlets, [done, drain]])
      for (const [n, box] of kind.entries())
        for (const other of kind.slice(n + 1)) expect(overlap(box, other)).toBe(false)
  })
})

const isWithin = ({ x, y, width, height }: Box, picture: { width: number; height: number }): boolean =>
  x >= 0 && y >= 0 && x + width <= picture.width && y + height <= picture.height

const EDGE = 0.001
const overlap = (a: Box, b: Box): boolean =>
  a.x + EDGE < b.x + b.width && b.x + EDGE < a.x + a.width && a.y + EDGE < b.y + b.height && b.y + EDGE < a.y + a.height

test("a pipe has round corners, smaller where it is short, and none without a corner", () => {
  expect(
    pipe([
      [0, 0],
      [100, 0],
      [100, 50],
    ]),
  ).toBe("M0 0 L90 0 Q100 0 100 10 L100 50")
  expect(
    pipe([
      [0, 0],
      [8, 0],
      [8, 4],
    ]),
  ).toBe("M0 0 L4 0 Q8 0 8 2 L8 4")
  expect(
    pipe([
      [0, 0],
      [100, 0],
    ]),
  ).toBe("M0 0 L100 0")
  expect(
    pipe([
      [5, 5],
      [5, 5],
      [5, 9],
    ]),
  ).toBe("M5 5 L5 5 Q5 5 5 7 L5 9")
})
