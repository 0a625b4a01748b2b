// Expressions, against a clock that is looked at second by second: what a change of the clocks does, and what is refused.
import { describe, expect, test } from "vitest"
import { Cron, cronFault } from "./cron.ts"
import { TimeZone } from "./time-zone.ts"

const MINUTE_MS = 60_000
const zone = (name: string): TimeZone => TimeZone.find(name) as TimeZone

function times(text: string, timezone: string, after: string, count: number): string[] {
  const cron = new Cron(text, zone(timezone))
  const found: string[] = []
  for (let at: number | undefined = Date.parse(after); found.length < count; ) {
    at = cron.next(at)
    if (at === undefined) break
    found.push(new Date(at).toISOString().replace(":00.000Z", "Z"))
  }
  return found
}

describe("times", () => {
  test.each([
    ["* * * * *", ["2026-01-01T00:01Z", "2026-01-01T00:02Z"]],
    ["*/15 * * * *", ["2026-01-01T00:15Z", "2026-01-01T00:30Z"]],
    ["30 0 0 * * *", ["2026-01-01T00:00:30.000Z", "2026-01-02T00:00:30.000Z"]],
    ["0 9 * * MON-FRI", ["2026-01-01T09:00Z", "2026-01-02T09:00Z", "2026-01-05T09:00Z"]],
    ["0 0 L * *", ["2026-01-31T00:00Z", "2026-02-28T00:00Z"]],
    ["0 0 29 2 *", ["2028-02-29T00:00Z", "2032-02-29T00:00Z"]],
    ["0 0 13 * FRI", ["2026-01-02T00:00Z", "2026-01-09T00:00Z", "2026-01-13T00:00Z"]],
    ["@daily", ["2026-01-02T00:00Z"]],
    ["@Hourly", ["2026-01-01T01:00Z", "2026-01-01T02:00Z"]],
  ])("%s", (text, expected) => {
    expect(times(text, "UTC", "2026-01-01T00:00:00Z", expected.length)).toEqual(expected)
  })

  test("a leap day is found across the year 2100, which has none", () => {
    expect(times("0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", 1)).toEqual(["2104-02-29T00:00Z"])
  })

  test("the 30th of February never comes", () => {
    expect(new Cron("0 0 30 2 *", zone("UTC")).next(0)).toBeUndefined()
  })

  test("what is not a whole second counts as within it", () => {
    const cron = new Cron("* * * * *", zone("Europe/Berlin"))
    expect([cron.next(59_999), cron.next(60_000), cron.next(60_001)]).toEqual([60_000, 120_000, 120_000])
  })
})

describe("DST, the hour that is skipped (Berlin, 2026-03-29 at 01:00Z)", () => {
  test.each([
    ["a time within it runs once, right after", "30 2 * * *", ["2026-03-29T01:00Z", "2026-03-30T00:30Z"]],
    ["several of them run once, too", "0,15,30 2 * * *", ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]],
    ["together with what is due right after", "0 2,3 * * *", ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]],
    ["every hour goes on", "30 * * * *", ["2026-03-29T00:30Z", "2026-03-29T01:30Z", "2026-03-29T02:30Z"]],
  ])("%s: %s", (_, text, expected) => {
    expect(times(text, "Europe/Berlin", "2026-03-28T23:59:00Z", expected.length)).toEqual(expected)
  })
})

describe("DST, the hour that comes twice (Berlin, 2026-10-25 at 01:00Z)", () => {
  test.each([
    ["a time within it runs once", "30 2 * * *", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
    ["among others, too", "0 2,14 * * *", ["2026-10-25T00:00Z", "2026-10-25T13:00Z", "2026-10-26T01:00Z"]],
    ["every half an hour of it", "*/30 2 * * *", ["2026-10-25T00:00Z", "2026-10-25T00:30Z", "2026-10-26T01:00Z"]],
    ["every hour goes on", "30 * * * *", ["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T02:30Z"]],
  ])("%s: %s", (_, text, expected) => {
    expect(times(text, "Europe/Berlin", "2026-10-24T23:45:00Z", expected.length)).toEqual(expected)
  })

  test("asked in its second half, what has run in the first is over", () => {
    expect(times("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", 1)).toEqual(["2026-10-26T01:30Z"])
  })
})

// Clocks that change by an hour, by half an hour, at midnight, and once by a whole day.
const CHANGES = [
  ["Europe/Berlin", "2026-03-28T12:00:00Z"],
  ["Europe/Berlin", "2026-10-24T12:00:00Z"],
  ["America/New_York", "2026-11-01T00:00:00Z"],
  ["America/Havana", "2026-03-07T12:00:00Z"],
  ["America/Sao_Paulo", "2018-11-03T12:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T00:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T00:00:00Z"],
  ["Pacific/Apia", "2011-12-29T12:00:00Z"],
  ["Asia/Kolkata", "2026-03-28T12:00:00Z"],
] as const

describe("DST, minute by minute for three days", () => {
  const MINUTES = 3 * 24 * 60
  test.each(CHANGES)("%s from %s", (name, from) => {
    const start = Date.parse(from)
    const minutes = Array.from({ length: MINUTES }, (_, n) => start + (n + 1) * MINUTE_MS)
    const wall = minutes.map((at) => zone(name).wallTime(at) / MINUTE_MS)
    const hourOf = (minute: number) => Math.floor(minute / 60) % 24
    const listed = (text: string) => {
      const cron = new Cron(text, zone(name))
      const found: number[] = []
      for (let at = cron.next(start) ?? 0; at <= (minutes.at(-1) as number); at = cron.next(at) ?? 0) found.push(at)
      return found
    }
    expect(listed("*/20 * * * *")).toEqual(minutes.filter((_, n) => (wall[n] as number) % 20 === 0))
    const hours = [0, 1, 2, 3, 14]
    // Either the clock shows the time for the first time, or it has just jumped over one.
    const seen = new Set<number>()
    const fits = (minute: number) => hours.includes(hourOf(minute)) && minute % 20 === 0
    const expected = minutes.filter((_, n) => {
      const now = wall[n] as number
      const last = n === 0 ? now - 1 : (wall[n - 1] as number)
      const passed = Array.from({ length: Math.max(1, now - last) }, (_, back) => now - back)
      const isNew = passed.some((minute) => fits(minute) && !seen.has(minute))
      for (const minute of passed) seen.add(minute)
      return isNew
    })
    expect(listed("*/20 0-3,14 * * *")).toEqual(expected)
  })
})

describe("faults", () => {
  test.each([
    ["61 * * * *", 'minute must be 0-59, not "61"'],
    ["60 * * * * *", 'second must be 0-59, not "60"'],
    ["* 24 * * *", 'hour must be 0-23, not "24"'],
    ["* * 0 * *", 'day of month must be 1-31, not "0"'],
    ["* * * 13 *", 'month must be 1-12 or JAN-DEC, not "13"'],
    ["* * * * 8", 'day of week must be 0-7 or SUN-SAT, not "8"'],
    ["*/0 * * * *", 'minute must be 0-59, not "*/0"'],
    ["5-1 * * * *", 'minute must be 0-59, not "5-1"'],
    ["a * * * *", 'minute must be 0-59, not "a"'],
    ["1,,2 * * * *", 'minute must be 0-59, not "1,,2"'],
  ])("%s: %s", (text, fault) => {
    expect(cronFault(text)).toBe(fault)
  })

  test.each([
    "",
    "* * * *",
    "* * * * * * *",
    "@every 1m",
    "2026-01-01T00:00:00",
    "daily",
    `* * * * *${" ".repeat(300)}`,
  ])("%j has not 5 or 6 fields", (text) => {
    expect(cronFault(text)).toMatch(/^must have 5 fields .*, or 6/)
  })

  test.each([
    "* * * * *",
    "0 0 1 1 *",
    "*/5 0 9-17 * * MON-FRI",
    "0 0 * * 7",
    "0 0 LW * *",
    "0 0 * * FRI#2",
    "@weekly",
  ])("%s has none", (text) => {
    expect(cronFault(text)).toBeUndefined()
  })

  test.each(["Europe/Nowhere", "", "+02:00", "UTC\0", "x".repeat(100), "Europe/Berlin "])(
    "%j is no time zone",
    (name) => {
      expect(TimeZone.find(name)).toBeUndefined()
    },
  )
})
