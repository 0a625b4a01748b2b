// The drawing of the race: a pure function of its figures and of the width that there is.
import type { PriorityInView } from "../../../api/overview.ts"
import { jobsPerDrop } from "./drops.ts"
import type { OutletFigure, RaceFigures } from "./figures.ts"
import { type Point, pipe } from "./pipe.ts"
import { type Box, type Places, placesOf } from "./places.ts"

export interface Stream {
  readonly key: string
  readonly path: string
  /** The width of the bed, in pixels. */
  readonly width: number
  /** Drops per second: the true rate. */
  readonly drops: number
  readonly tone: "water" | "bad"
}

export interface DrawnChannel {
  readonly priority: PriorityInView["name"]
  readonly box: Box
  /** Heights from the bottom. */
  readonly jobs: number
  readonly steps: number
  readonly high: number
  readonly low: number
  readonly isShut: boolean
  readonly isPaused: boolean
  /** From the canal to its gate. */
  readonly feeder: Box
}

export interface DrawnOutlet {
  readonly key: string
  readonly box: Box
  /** What is held before it: a basin of this width, filled to this share of its height. */
  readonly held: number
  readonly pipe: number
  readonly isClosed: boolean
  readonly hasNoLimit: boolean
  readonly isWet: boolean
  /** Nothing is ever held where no downstream is named. */
  readonly hasBasin: boolean
}

export interface DrawnRace {
  readonly places: Places
  readonly jobsPerDrop: number
  readonly streams: readonly Stream[]
  readonly channels: readonly DrawnChannel[]
  readonly outlets: readonly DrawnOutlet[]
  readonly wheel: { readonly paddles: number; readonly busy: number; readonly turnsPerSecond: number }
  readonly isTotalShut: boolean
}

/** On a narrow page the doors stand beside each other. */
const DOORS_BESIDE = 3
const MOST_PADDLES = 16
const DRY_PADDLES = 8
const PIPE = { least: 3, most: 14 }

export function drawRace(figures: RaceFigures, width: number): DrawnRace {
  const { doors, outlets, channels, claimed, workers, busy } = figures
  const places = placesOf(width, { doors: doors.length, outlets: outlets.length })
  const perDrop = jobsPerDrop([figures.accepted, claimed, figures.refused, figures.done])
  const paddles = workers === 0 ? DRY_PADDLES : Math.min(workers, MOST_PADDLES)
  return {
    places,
    jobsPerDrop: perDrop,
    streams: streamsOf(figures, places).map(({ perSecond, ...stream }) => ({ ...stream, drops: perSecond / perDrop })),
    channels: channels.map((channel, n) => drawChannel(channel, places.channels[n] as Box, places)),
    outlets: drawOutlets(outlets, places.outlets),
    wheel: {
      paddles,
      busy: workers === 0 ? 0 : Math.ceil((busy / workers) * paddles),
      turnsPerSecond: claimed / perDrop / paddles,
    },
    isTotalShut: figures.total.shut,
  }
}

/** A narrow page has room for the busiest doors alone; the intake's own figures are of all. */
export const doorsShown = (figures: RaceFigures, width: number): RaceFigures =>
  placesOf(width, { doors: 0, outlets: 0 }).isTall && figures.doors.length > DOORS_BESIDE
    ? {
        ...figures,
        doors: [...figures.doors].sort((a, b) => b.accepted - a.accepted).slice(0, DOORS_BESIDE),
      }
    : figures

/** Room above the high mark, so that the mark is seen. */
const ROOM = 1.12
/** The least height in pixels: a smaller amount of water is drawn this high. */
const LEAST = 2

const FEEDER = 12

function drawChannel(channel: PriorityInView, box: Box, { canal }: Places): DrawnChannel {
  const water = canal.at(-1) as Box
  const start = water.x + water.width
  const { name, depth, steps, highWatermark, lowWatermark, shut, paused } = channel
  const scale = box.height / (Math.max(highWatermark, depth + steps) * ROOM)
  const level = (jobs: number) => (jobs === 0 ? 0 : Math.max(LEAST, jobs * scale))
  return {
    priority: name,
    box,
    jobs: level(depth),
    steps: level(steps),
    high: highWatermark * scale,
    low: lowWatermark * scale,
    isShut: shut,
    isPaused: paused,
    feeder: { x: start, y: box.y + box.height - FEEDER, width: box.x - start, height: FEEDER },
  }
}

function drawOutlets(outlets: readonly OutletFigure[], boxes: readonly Box[]): DrawnOutlet[] {
  const fastest = Math.max(1, ...outlets.map(({ pace }) => pace ?? 0))
  const deepest = Math.max(1, ...outlets.map(({ held }) => held))
  return outlets.map(({ kind, name, perSecond, pace, held, isPaused, isPushedBack }, n) => ({
    key: `${kind} ${name}`,
    box: boxes[n] as Box,
    held: held / deepest,
    pipe: pace === undefined ? PIPE.most : Math.max(PIPE.least, (pace / fastest) * PIPE.most),
    isClosed: isPaused || isPushedBack,
    hasNoLimit: pace === undefined,
    isWet: perSecond > 0,
    hasBasin: kind !== "direct",
  }))
}

type Flow = Omit<Stream, "drops"> & { readonly perSecond: number }

const streamsOf = (figures: RaceFigures, places: Places): readonly Flow[] => [
  ...fromDoors(figures, places),
  ...toWheel(figures, places),
  ...fromWheel(figures, places),
]

function fromDoors({ doors, refused }: RaceFigures, { doors: boxes, canal, overflow, isTall }: Places): Flow[] {
  const [water] = canal as [Box]
  const accepted = doors.map(({ door, accepted }, n): Flow => {
    const { x, y, width, height } = boxes[n] as Box
    const points: Point[] = isTall
      ? [
          [x + width / 2, y + height],
          [x + width / 2, water.y],
        ]
      : [
          [x, y + height - 12],
          [water.x, y + height - 12],
        ]
    return { key: `door ${door}`, path: pipe(points), width: 6, perSecond: accepted, tone: "water" }
  })
  const edge: Point[] = isTall
    ? [
        [overflow.x + overflow.width, water.y],
        [overflow.x + overflow.width, overflow.y + overflow.height / 2],
      ]
    : [
        [water.x, overflow.y + overflow.height],
        [overflow.x, overflow.y + overflow.height],
      ]
  if (refused === 0) return accepted
  return [...accepted, { key: "refused", path: pipe(edge), width: 6, perSecond: refused, tone: "bad" }]
}

function toWheel({ channels }: RaceFigures, { channels: boxes, wheel, isTall }: Places): Flow[] {
  return channels.map(({ name, weight, claimedPerSecond }, n): Flow => {
    const { x, y, width, height } = boxes[n] as Box
    const from: Point = [x + width, y + height - 6]
    const bend = wheel.x - wheel.radius - 22
    const side = wheel.y + (n - 1) * (wheel.radius / 2)
    const edge = x + width + 8 + (2 - n) * 13
    const top = wheel.y + (1 - n) * 13
    // The path ends below the wheel, which is drawn over it.
    const points: Point[] = isTall
      ? [from, [edge, from[1]], [edge, top], [wheel.x + wheel.radius / 2, top]]
      : [from, [bend, from[1]], [bend, side], [wheel.x - wheel.radius / 2, side]]
    const path = pipe(points)
    return { key: `claims ${name}`, path, width: 3 + (weight / 100) * 11, perSecond: claimedPerSecond, tone: "water" }
  })
}

function fromWheel(figures: RaceFigures, places: Places): Flow[] {
  const { wheel, tailrace, outlets, done, drain, isTall } = places
  const middle = tailrace.x + tailrace.width / 2
  const out: Point[] = isTall
    ? [
        [wheel.x - wheel.radius / 2, wheel.y],
        [middle, wheel.y],
        [middle, tailrace.y],
      ]
    : [
        [wheel.x + wheel.radius / 2, wheel.y],
        [tailrace.x, wheel.y],
      ]
  const turn = { key: "out", path: pipe(out), width: 12, perSecond: figures.claimed, tone: "water" } as const
  const low = drain.y + drain.height / 2
  const down: Point[] = isTall
    ? [
        [middle, tailrace.y + tailrace.height],
        [middle, drain.y],
      ]
    : [
        [wheel.x, wheel.y + wheel.radius / 2],
        [wheel.x, places.height - 12],
        [drain.x - 8, places.height - 12],
        [drain.x - 8, low],
        [drain.x, low],
      ]
  const dead = { key: "dead", path: pipe(down), width: 4, perSecond: figures.dead, tone: "bad" } as const
  const flows = figures.outlets.map(({ kind, name, perSecond }, n): Flow => {
    const { x, width } = outlets[n] as Box
    const line = lineOf(outlets[n] as Box)
    const end = isTall ? x + width : done.x
    const path = pipe([
      [kind === "direct" ? x + 4 : x + HELD + 4, line],
      [end, line],
    ])
    return { key: `outlet ${kind} ${name}`, path, width: 0, perSecond, tone: "water" }
  })
  return [turn, dead, ...flows]
}

/** The basin before an outlet, and the line that its pipe lies on. */
export const HELD = 26
export const lineOf = ({ y, height }: Box): number => y + height - PIPE.most / 2 - 3
