// Which ticks are fired, which wait and which are skipped: every combination of overlap and catch-up.
import { describe, expect, test } from "vitest"
import { type CatchUp, dueTicks, MISSED_AFTER_MS, MOST_MADE_UP, type Overlap, planTicks } from "./schedule-ticks.ts"

const MINUTE_MS = 60_000
const every = (ms: number) => ({ next: (after: number) => (Math.floor(after / ms) + 1) * ms })
const minutely = every(MINUTE_MS)
const at = (minutes: number) => minutes * MINUTE_MS
const NOW = at(100) + 5_000
const policy = (catchUp: CatchUp, overlap: Overlap = "skip") => ({ catchUp, overlap })
const FREE = { liveId: null, waiting: 0 }
const BUSY = { liveId: "w1", waiting: 0 }

describe("catch-up", () => {
  test.each(["none", "last", "all"] as const)("%s: a tick on time is fired, and nothing else", (catchUp) => {
    expect(dueTicks(minutely, at(100), NOW, policy(catchUp))).toEqual({ missed: [], onTime: [at(100)] })
  })

  test("a tick is missed when nobody has fired it for half a minute", () => {
    const due = (late: number) => dueTicks(minutely, at(100), at(100) + late, policy("none"))
    expect(due(MISSED_AFTER_MS)).toEqual({ missed: [], onTime: [at(100)] })
    expect(due(MISSED_AFTER_MS + 1)).toEqual({ missed: [], onTime: [], droppedAt: at(100) })
  })

  test("none: what was missed is dropped, with one record of it", () => {
    const due = dueTicks(minutely, at(90), NOW, policy("none"))
    expect(due).toEqual({ missed: [], onTime: [at(100)], droppedAt: at(90) })
    expect(planTicks(policy("none"), due, FREE)).toEqual([
      {
        dueAt: at(90),
        outcome: "skipped",
        detail:
          'missed while no engine ran, like all before 1970-01-01T01:40:00.000Z, and not made up for: catchUp is "none"',
      },
      { dueAt: at(100), outcome: "started", detail: null },
    ])
  })

  test("what is not made up for says why", () => {
    const why = (catchUp: CatchUp) =>
      planTicks(policy(catchUp), { missed: [], onTime: [], droppedAt: at(90) }, FREE).map(({ detail }) => detail)
    expect(why("last")).toEqual(['missed while no engine ran, and not made up for: catchUp is "last"'])
    expect(why("all")).toEqual(["missed while no engine ran, and not made up for: more than 1000 were missed"])
  })

  test("last: the last missed one, unless one on time comes after it", () => {
    const late = at(100) + 45_000
    expect(dueTicks(minutely, at(90), late, policy("last"))).toEqual({
      missed: [at(100)],
      onTime: [],
      droppedAt: at(90),
    })
    expect(dueTicks(minutely, at(100), late, policy("last"))).toEqual({ missed: [at(100)], onTime: [] })
    expect(dueTicks(minutely, at(90), NOW, policy("last"))).toEqual({
      missed: [],
      onTime: [at(100)],
      droppedAt: at(90),
    })
  })

  test("all: each of them, in order", () => {
    const { missed, ...rest } = dueTicks(minutely, at(90), NOW, policy("all"))
    expect(missed).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99].map(at))
    expect(rest).toEqual({ onTime: [at(100)] })
  })

  test("all: the newest thousand of millions, found without going through the rest", () => {
    let asked = 0
    const next = (after: number) => {
      asked += 1
      return every(1_000).next(after)
    }
    const now = 400 * 24 * 3_600_000
    const { missed, onTime, droppedAt } = dueTicks({ next }, 1_000, now, policy("all"))
    expect([missed.length, missed.at(-1), droppedAt]).toEqual([MOST_MADE_UP, now - MISSED_AFTER_MS - 1_000, 1_000])
    expect(missed[0]).toBe(now - MISSED_AFTER_MS - MOST_MADE_UP * 1_000)
    expect([onTime[0], onTime.length]).toEqual([now - MISSED_AFTER_MS, 31])
    expect(asked).toBeLessThan(100_000)
  })

  test("all with cancel is as good as last: the newest wins", () => {
    const late = at(100) + 45_000
    expect(dueTicks(minutely, at(90), late, policy("all", "cancel")).missed).toEqual([at(100)])
  })
})

describe("overlap", () => {
  const outcomes = (
    overlap: Overlap,
    catchUp: CatchUp,
    due: Parameters<typeof planTicks>[1],
    line = FREE as typeof BUSY | typeof FREE,
  ) => planTicks(policy(catchUp, overlap), due, line).map(({ outcome }) => outcome)
  const one = { missed: [], onTime: [1] }
  const three = { missed: [], onTime: [1, 2, 3] }

  test.each(["skip", "queue", "cancel"] as const)("%s: with nothing live it starts", (overlap) => {
    expect(outcomes(overlap, "last", one)).toEqual(["started"])
  })

  test("skip: while the last run is live, no other begins", () => {
    expect(planTicks(policy("last"), one, BUSY)).toEqual([
      { dueAt: 1, outcome: "skipped", detail: "the run before it, w1, has not ended" },
    ])
    expect(outcomes("skip", "last", three)).toEqual(["started", "skipped", "skipped"])
  })

  test("queue: one waits, and no more than one", () => {
    expect(outcomes("queue", "last", one, BUSY)).toEqual(["queued"])
    expect(outcomes("queue", "last", three)).toEqual(["started", "queued", "skipped"])
    expect(planTicks(policy("last", "queue"), one, { liveId: "w1", waiting: 1 })).toEqual([
      { dueAt: 1, outcome: "skipped", detail: "1 run is waiting already" },
    ])
  })

  test("queue: nobody overtakes the one that waits", () => {
    expect(outcomes("queue", "last", one, { liveId: null, waiting: 1 })).toEqual(["skipped"])
  })

  test("cancel: the newest one starts, whatever is live", () => {
    expect(outcomes("cancel", "last", one, BUSY)).toEqual(["started"])
    expect(outcomes("cancel", "last", three, BUSY)).toEqual(["skipped", "skipped", "started"])
  })

  test.each(["skip", "queue"] as const)(
    "%s with all: what was missed waits in line, one after the other",
    (overlap) => {
      const due = { missed: [1, 2, 3], onTime: [] }
      expect(outcomes(overlap, "all", due)).toEqual(["started", "queued", "queued"])
      expect(outcomes(overlap, "all", due, BUSY)).toEqual(["queued", "queued", "queued"])
    },
  )

  test("skip with all: a tick on time does not wait behind them", () => {
    expect(outcomes("skip", "all", { missed: [1, 2], onTime: [3] })).toEqual(["started", "queued", "skipped"])
  })

  test("all: the line has an end", () => {
    const line = { liveId: "w1", waiting: MOST_MADE_UP - 1 }
    expect(outcomes("queue", "all", { missed: [1, 2], onTime: [3] }, line)).toEqual(["queued", "skipped", "skipped"])
  })
})
