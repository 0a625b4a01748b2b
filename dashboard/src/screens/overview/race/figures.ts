// The figures of the race, from the overview: what comes in, what waits, what is taken, where it goes, what becomes of it.
import type { DownstreamPace, Gate, Overview, PriorityInView } from "../../../api/overview.ts"

export type DoorName = Overview["intake"][number]["door"]

export interface DoorFigure {
  readonly door: DoorName
  readonly accepted: number
  readonly refused: number
}

/** A downstream; or what goes to no downstream, or to the many that have no place in the picture. */
export interface OutletFigure {
  readonly kind: "named" | "direct" | "others"
  readonly name: string
  readonly perSecond: number
  /** The most per second; undefined where there is no limit. */
  readonly pace: number | undefined
  readonly held: number
  readonly inFlight: number
  readonly isPaused: boolean
  readonly isPushedBack: boolean
}

export interface RaceFigures {
  readonly doors: readonly DoorFigure[]
  readonly accepted: number
  readonly refused: number
  readonly total: Gate
  readonly channels: readonly PriorityInView[]
  readonly workers: number
  readonly busy: number
  readonly claimed: number
  readonly outlets: readonly OutletFigure[]
  /** Jobs and instances that were completed, per second. */
  readonly done: number
  readonly dead: number
  readonly deadLetters: number
  readonly deadLettersAreExact: boolean
  /** Nothing moves and nothing waits. */
  readonly isDry: boolean
}

/** Shown while nothing comes in: the three by which most people begin. */
const USUAL: readonly DoorName[] = ["rest", "grpc", "library"]
/** The busiest downstreams; the picture has room for no more. */
const OUTLETS = 4

export function figuresOf(overview: Overview): RaceFigures {
  const { intake, lanes, total, rates, workers, busyWorkers, deadLetters, deadLettersAreExact } = overview
  const claimed = sumOf(lanes, ({ claimedPerSecond }) => claimedPerSecond)
  const isDry =
    Object.values(rates).every((rate) => rate === 0) &&
    total.depth + overview.leases + sumOf(lanes, ({ steps }) => steps) === 0
  return {
    doors: doorsOf(intake),
    accepted: sumOf(intake, ({ acceptedPerSecond }) => acceptedPerSecond),
    refused: sumOf(intake, ({ refusedPerSecond }) => refusedPerSecond),
    total,
    channels: lanes,
    workers,
    busy: Math.min(busyWorkers, workers),
    claimed,
    outlets: outletsOf(overview.downstreams, claimed),
    done: rates.jobsCompleted + rates.completed,
    dead: rates.jobsDead,
    deadLetters,
    deadLettersAreExact,
    isDry,
  }
}

function doorsOf(intake: Overview["intake"]): readonly DoorFigure[] {
  const doors = intake.map(({ door, acceptedPerSecond: accepted, refusedPerSecond: refused }) => ({
    door,
    accepted,
    refused,
  }))
  const busy = doors.filter(({ accepted, refused }) => accepted + refused > 0)
  return busy.length > 0 ? busy : doors.filter(({ door }) => USUAL.includes(door))
}

function outletsOf(downstreams: readonly DownstreamPace[], claimed: number): readonly OutletFigure[] {
  const named = downstreams.slice(0, OUTLETS).map(outletOf)
  const rest = downstreams.slice(OUTLETS).map(outletOf)
  const direct = Math.max(0, claimed - sumOf(downstreams, ({ startedPerSecond }) => startedPerSecond))
  return [...named, ...(rest.length > 0 ? [othersOf(rest)] : []), { ...NO_LIMIT, kind: "direct", perSecond: direct }]
}

const NO_LIMIT = {
  name: "",
  pace: undefined,
  held: 0,
  inFlight: 0,
  isPaused: false,
  isPushedBack: false,
} as const

const outletOf = (pace: DownstreamPace): OutletFigure => ({
  kind: "named",
  name: pace.name,
  perSecond: pace.startedPerSecond,
  pace: pace.perSecond,
  held: pace.waiting,
  inFlight: pace.inFlight,
  isPaused: pace.paused,
  isPushedBack: pace.pushedBackUntil !== undefined,
})

const othersOf = (rest: readonly OutletFigure[]): OutletFigure => ({
  ...NO_LIMIT,
  kind: "others",
  name: `${rest.length} more`,
  perSecond: sumOf(rest, ({ perSecond }) => perSecond),
  held: sumOf(rest, ({ held }) => held),
  inFlight: sumOf(rest, ({ inFlight }) => inFlight),
})

const sumOf = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0)
