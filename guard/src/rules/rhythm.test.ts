// How regularly a client calls, and how well that tells scrapers from everyone else: precision and recall on a labelled trace.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { RHYTHM_BOUNDS } from "../options.ts"
import { clientsOf, type Kind, SCRAPERS, verdictsOf } from "../test-support/traces.ts"
import { regularityOf, rhythmOf } from "./rhythm.ts"

function timesOf(gapsMs: readonly number[]): number[] {
  const times = [0]
  for (const gap of gapsMs) times.push(times.at(-1)! + gap)
  return times
}
const judge = (gapsMs: readonly number[]) => regularityOf(rhythmOf(timesOf(gapsMs)), RHYTHM_BOUNDS)
const evenly = (gapMs: number, count: number, swingMs = 0) =>
  Array.from({ length: count }, (_, at) => gapMs + (at % 2 === 0 ? swingMs : -swingMs))

describe("gaps", () => {
  test("mean and deviation are in seconds", () => {
    expect(rhythmOf([0, 400, 1_000])).toEqual({ gaps: 2, meanSeconds: 0.5, deviationSeconds: 0.1 })
    expect(rhythmOf([5])).toBeUndefined()
    expect(rhythmOf([])).toBeUndefined()
  })

  test.each([
    ["E-12: fewer than the least sample say nothing", evenly(500, 12), "irregular"],
    ["E-12, E-X3: exactly every 0.5 s is a machine, in seconds as in milliseconds", evenly(500, 13), "mechanical"],
    ["with the jitter of a scheduler too", evenly(500, 13, 20), "mechanical"],
    ["E-14: a deviation below half of both bounds is a machine's", evenly(4_000, 19, 240), "mechanical"],
    ["E-14: below the bounds it is regular", evenly(4_000, 19, 260), "regular"],
    ["… once all times are there", evenly(4_000, 18, 260), "irregular"],
    ["E-X3: someone who clicks quickly and unevenly is not", evenly(600, 19, 80), "irregular"],
    ["a deviation of half a second is too much, however slow", evenly(9_000, 19, 510), "irregular"],
    ["SEC-66: a timetable is not a scraper", evenly(15_000, 19), "irregular"],
    ["a burst, as of a page with its images, has no rhythm", evenly(2, 19), "irregular"],
    ["calls of the same moment neither", evenly(0, 19), "irregular"],
  ] as const)("%s", (_, gaps, expected) => {
    expect(judge(gaps)).toBe(expected)
  })

  test("nothing known is irregular", () => {
    expect(regularityOf(undefined, RHYTHM_BOUNDS)).toBe("irregular")
  })

  test("G4: less deviation never gets a milder answer", () => {
    const rank = { irregular: 0, regular: 1, mechanical: 2 }
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 9_000 }), fc.integer({ min: 0, max: 190 }), (gap, swing) => {
        expect(rank[judge(evenly(gap, 19, swing / 2))]).toBeGreaterThanOrEqual(rank[judge(evenly(gap, 19, swing))])
      }),
    )
  })
})

describe("SEC-66: a labelled trace", () => {
  const flagged = (kind: Kind) => clientsOf(kind).filter((times) => verdictsOf(times) !== undefined).length

  test.each([
    ["people, with pauses of 1 to 5 s", "people"],
    ["people who click quickly", "quick people"],
    ["people who read steadily, with pauses of 1 to 3 s", "steady people"],
    ["a page with its images", "pages"],
    ["timetables, every 15 s to an hour", "timetables"],
    ["retry loops that back off", "retry loops"],
    ["an office behind one address", "offices"],
  ] as const)("not one of %s is flagged", (_, kind) => {
    expect(flagged(kind)).toBe(0)
  })

  test("precision is 1, and recall at least 0.99 for scrapers on a timer", () => {
    const scrapers = SCRAPERS.flatMap((kind) => clientsOf(kind))
    const found = scrapers.filter((times) => verdictsOf(times) !== undefined).length
    expect(found / scrapers.length).toBeGreaterThanOrEqual(0.99)
  })

  test("E-33: every scraper at 0.5 s is blocked within 20 requests", () => {
    const found = clientsOf("scrapers, every 0.5 s").map(verdictsOf)
    expect(found.filter((verdict) => verdict?.regularity !== "mechanical" || verdict.at > 20)).toEqual([])
  })

  test("a scraper that shakes its pauses as people do is not found by its rhythm: it has the rate limit", () => {
    expect(flagged("scrapers that shake")).toBeLessThan(10)
  })
})
