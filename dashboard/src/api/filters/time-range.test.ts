import { expect, test } from "vitest"
import { boundsOf, rangeWords, timeRange } from "./time-range.ts"

const NOW = Date.parse("2025-03-01T12:00:00.000Z")

test("a range is told in words", () => {
  expect(["15m", "1h", "24h", "7d", "over-1h", "over-3d"].map(rangeWords)).toEqual([
    "last 15 minutes",
    "last hour",
    "last 24 hours",
    "last 7 days",
    "over 1 hour ago",
    "over 3 days ago",
  ])
})

test("a range begins or ends that long before now", () => {
  expect(boundsOf("1h", NOW)).toEqual({ after: "2025-03-01T11:00:00.000Z" })
  expect(boundsOf("over-2d", NOW)).toEqual({ before: "2025-02-27T12:00:00.000Z" })
  expect(boundsOf(undefined, NOW)).toEqual({})
})

test("what is no range is left out of an address", () => {
  for (const typed of ["", "0h", "1y", "h", "99999h", "1h ", "over-", {}])
    expect(timeRange({ started: typed }, "started")).toBeUndefined()
  expect(timeRange({ started: "3h" }, "started")).toBe("3h")
})
