// The table at the end of a flood, and whether it has met enough.
import { expect, test } from "vitest"
import { type FloodFacts, floodLines, tooLittle } from "./flood-facts.ts"

const facts: FloodFacts = {
  jobs: 1_000_000,
  effects: 1_050_000,
  takenBack: 12,
  awayMs: [1_000, 9_000, 2_000],
  ambiguousJobs: { all: 9_000, there: 4_000, unresolved: 0 },
  ambiguousReports: { all: 1_000, accepted: 900, unresolved: 0 },
  stale: { all: 500, accepted: 0 },
  late: 3,
}
const kills = new Map([
  ["server", 400],
  ["flood-worker", 600],
  ["frozen flood-worker", 60],
])

test("a long run must have met enough ambiguous answers and stale reports; a short one proves what it proves", () => {
  expect(tooLittle(kills, facts)).toEqual([])
  expect(tooLittle(kills, { ...facts, stale: { all: 499, accepted: 0 } })).toEqual([
    "only 499 reports were stale in 1000 kills",
  ])
  const ambiguousReports = { ...facts.ambiguousReports, all: 999 }
  expect(tooLittle(kills, { ...facts, ambiguousReports })).toEqual(["only 9999 items were ambiguous in 1000 kills"])
  expect(tooLittle(new Map([["server", 199]]), { ...facts, ambiguousReports })).toEqual([])
})

test("who is frozen is not among the kills", () => {
  const lines = floodLines(kills, facts, 1_000)
  expect(lines[0]).toMatch(/^kills +1000 +400 server, 600 flood-worker, 60 frozen flood-worker$/)
  expect(lines.at(-1)).toContain("half of them for less than 2.0 s, the longest for 9.0 s")
})
