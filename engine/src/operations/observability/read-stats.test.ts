// The charts on a real database, by a clock that stands where the test puts it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { stopClock } from "../../test-support/database-clock.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { readStats, type STATS_WINDOWS, type StatsView } from "./read-stats.ts"

let database: { dsn: string; drop(): Promise<void> }
let kernel: Kernel

beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
})
beforeEach(() => kernel.db.script("truncate millrace.counter_series"))
afterAll(async () => {
  await kernel.db.close()
  await database.drop()
})

/** A row; gauges all the same number, or none. */
const put = (span: number, time: string, started: number, gauge?: number) =>
  kernel.db.script(`insert into millrace.counter_series
      (span, at, started, depth_critical, depth_high, depth_normal, leased, dead_letters)
    select ${span}, '2026-03-01T${time}Z', ${started}, g, g, g, g, g from (select ${gauge ?? "null"}::bigint) x (g)`)
const read = async (now: string, window: (typeof STATS_WINDOWS)[number]) => {
  await stopClock(kernel, `2026-03-01T${now}Z`)
  return readStats(kernel, window)
}
const valuesOf = ({ series }: StatsView, name: keyof StatsView["series"]) => series[name]

describe("windows", () => {
  test.each([
    ["PT15M", 2, 450, "09:16:04", "09:31:04"],
    ["PT1H", 10, 360, "08:31:00", "09:31:00"],
    ["P1D", 300, 288, "09:30:00", "09:30:00"],
  ] as const)("%s: lists of equal length, up to the last step that is over", async (window, step, length, from, to) => {
    const stats = await read("09:31:05.999", window)
    expect(stats).toMatchObject({ window, stepSeconds: step })
    expect([stats.from.slice(11, 19), stats.to.slice(11, 19)]).toEqual([from, to])
    expect(Object.keys(stats.series)).toHaveLength(16)
    for (const values of Object.values(stats.series)) expect(values).toHaveLength(length)
    const at = valuesOf(stats, "at") as number[]
    expect([at[0], at.at(-1)]).toEqual([Date.parse(stats.from) / 1_000, Date.parse(stats.to) / 1_000 - step])
    expect(at.slice(1).every((time, n) => time - (at[n] as number) === step)).toBe(true)
    expect(new Set(valuesOf(stats, "started"))).toEqual(new Set([0]))
    expect(new Set(valuesOf(stats, "leased"))).toEqual(new Set([null]))
  })

  test("what lies on its edges: the first step is in it, the one that has begun is not", async () => {
    await put(2, "09:16:02", 1)
    await put(2, "09:16:04", 20)
    await put(2, "09:31:02", 300)
    await put(2, "09:31:04", 4_000)
    await put(10, "09:31:00", 50_000)
    const started = valuesOf(await read("09:31:04.000", "PT15M"), "started")
    expect([started[0], started[1], started.at(-1)]).toEqual([20, 0, 300])
    expect(started.reduce((sum: number, n) => sum + (n ?? 0), 0)).toBe(320)
    expect(valuesOf(await read("09:31:06.000", "PT15M"), "started").at(-1)).toBe(4_000)
  })
})

describe("gauges", () => {
  test("stay as they were written last, and are unknown before", async () => {
    await put(2, "09:30:00", 1)
    await put(2, "09:30:10", 0, 7)
    await put(2, "09:30:14", 5)
    await put(2, "09:30:20", 0, 3)
    const stats = await read("09:30:24.000", "PT15M")
    for (const name of ["depthCritical", "depthHigh", "depthNormal", "leased", "deadLetters"] as const)
      expect(valuesOf(stats, name).slice(-13)).toEqual([null, null, null, null, null, null, 7, 7, 7, 7, 7, 3, 3])
    expect(valuesOf(stats, "started").slice(-5)).toEqual([5, 0, 0, 0, 0])
  })

  test("as they were when the window began", async () => {
    await put(2, "09:00:00", 1, 4)
    await put(2, "09:01:00", 9)
    expect(new Set(valuesOf(await read("09:30:00.000", "PT15M"), "leased"))).toEqual(new Set([4]))
  })

  test("from the longest span where the shorter ones are gone, but never from one that goes on in the window", async () => {
    await put(300, "06:00:00", 1, 4)
    await put(300, "09:15:00", 1, 9)
    expect(valuesOf(await read("09:31:00.000", "PT15M"), "leased")[0]).toBe(4)
    expect(valuesOf(await read("09:35:00.000", "PT15M"), "leased")[0]).toBe(9)
    await put(2, "09:15:58", 1, 5)
    expect(valuesOf(await read("09:31:00.000", "PT15M"), "leased")[0]).toBe(5)
    await put(300, "09:20:00", 0)
    expect(valuesOf(await read("09:40:00.000", "P1D"), "leased").slice(-6)).toEqual([4, 9, 9, 9, 9, 9])
  })
})
