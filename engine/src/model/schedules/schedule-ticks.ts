// What becomes of the ticks of a schedule: which of them are fired, which wait, and which are skipped, and why.

export const OVERLAPS = ["skip", "queue", "cancel"] as const
export const CATCH_UPS = ["none", "last", "all"] as const
export type Overlap = (typeof OVERLAPS)[number]
export type CatchUp = (typeof CATCH_UPS)[number]

/** A tick that was not fired for so long is missed: no engine ran. A change of leader or a restart of the database takes less. */
export const MISSED_AFTER_MS = 30_000
/** The most missed ticks that `all` makes up for. */
export const MOST_MADE_UP = 1_000

export interface Policy {
  readonly overlap: Overlap
  readonly catchUp: CatchUp
}

/** The times of a schedule. */
export interface Times {
  /** The first one after this. */
  next(afterMs: number): number | undefined
}

export interface DueTicks {
  /** The first of the ticks that are not made up for. */
  readonly droppedAt?: number | undefined
  /** Made up for, oldest first. */
  readonly missed: readonly number[]
  readonly onTime: readonly number[]
}

/** What is due now, from the first tick that has not been looked at. */
export function dueTicks(times: Times, firstAt: number, nowMs: number, { overlap, catchUp }: Policy): DueTicks {
  const missedBefore = nowMs - MISSED_AFTER_MS
  const onTime = listTicks(times, Math.max(firstAt, missedBefore) - 1, nowMs)
  // Where the newest one wins, all are as good as the last.
  const makesUpAll = catchUp === "all" && overlap !== "cancel"
  const makesUpLast = catchUp !== "none" && onTime.length === 0
  const most = makesUpAll ? MOST_MADE_UP : makesUpLast ? 1 : 0
  const missed = newestTicks(times, firstAt - 1, missedBefore - 1, most)
  const dropsFirst = firstAt < missedBefore && missed[0] !== firstAt
  return { missed, onTime, ...(dropsFirst ? { droppedAt: firstAt } : {}) }
}

/** The ticks after the first time, up to and including the second. */
function listTicks(times: Times, afterMs: number, untilMs: number, most = Number.POSITIVE_INFINITY): number[] {
  const ticks: number[] = []
  let at = times.next(afterMs)
  while (at !== undefined && at <= untilMs && ticks.length < most) {
    ticks.push(at)
    at = times.next(at)
  }
  return ticks
}

/** The last `most` of them. There may be millions: where those begin is found by halving, not by counting up. */
function newestTicks(times: Times, afterMs: number, untilMs: number, most: number): number[] {
  if (most === 0) return []
  const ticks = listTicks(times, afterMs, untilMs, most + 1)
  if (ticks.length <= most) return ticks
  let [tooEarly, lateEnough] = [afterMs, untilMs]
  while (lateEnough - tooEarly > 1) {
    const middle = Math.floor((tooEarly + lateEnough) / 2)
    if (listTicks(times, middle, untilMs, most + 1).length > most) tooEarly = middle
    else lateEnough = middle
  }
  return listTicks(times, lateEnough, untilMs)
}

export interface Line {
  /** What the last run has started, while it has not ended. */
  readonly liveId: string | null
  /** Runs that wait for it. */
  readonly waiting: number
}

export interface PlannedTick {
  readonly dueAt: number
  readonly outcome: "started" | "queued" | "skipped"
  readonly detail: string | null
}

/** At most one of them starts: with `cancel` instead of what is live, else only when nothing is. */
export function planTicks(policy: Policy, due: DueTicks, line: Line): readonly PlannedTick[] {
  const { droppedAt, missed, onTime } = due
  const ticks = [...missed, ...onTime]
  const dropped = droppedAt === undefined ? [] : [skipped(droppedAt, droppedWhy(policy, ticks[0]))]
  if (policy.overlap === "cancel") return [...dropped, ...planNewest(ticks)]
  const room = policy.catchUp === "all" ? MOST_MADE_UP : 1
  let { waiting } = line
  let isFree = line.liveId === null && waiting === 0
  const planned = ticks.map((dueAt, index): PlannedTick => {
    if (isFree) {
      isFree = false
      return { dueAt, outcome: "started", detail: null }
    }
    const waits = policy.overlap === "queue" || (policy.catchUp === "all" && index < missed.length)
    if (!waits) return skipped(dueAt, `the run before it${line.liveId ? `, ${line.liveId},` : ""} has not ended`)
    if (waiting >= room) return skipped(dueAt, `${waiting} ${waiting === 1 ? "run is" : "runs are"} waiting already`)
    waiting += 1
    return { dueAt, outcome: "queued", detail: null }
  })
  return [...dropped, ...planned]
}

const planNewest = (ticks: readonly number[]): PlannedTick[] =>
  ticks.map((dueAt, index) =>
    index === ticks.length - 1
      ? { dueAt, outcome: "started", detail: null }
      : skipped(dueAt, "a later tick was due as well"),
  )

const skipped = (dueAt: number, detail: string): PlannedTick => ({ dueAt, outcome: "skipped", detail })

function droppedWhy({ catchUp }: Policy, firstKept: number | undefined): string {
  const until = firstKept === undefined ? "" : `, like all before ${new Date(firstKept).toISOString()}`
  const why = catchUp === "all" ? `more than ${MOST_MADE_UP} were missed` : `catchUp is "${catchUp}"`
  return `missed while no engine ran${until}, and not made up for: ${why}`
}
