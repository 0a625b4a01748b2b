// ISO-8601 durations, as far as the engine knows them.
import fc from "fast-check"
import { expect, test } from "vitest"
import { parseDuration } from "./durations.ts"

test.each<[string, number]>([
  ["PT30S", 30_000],
  ["PT2M", 120_000],
  ["PT1H", 3_600_000],
  ["P1D", 86_400_000],
  ["P1W", 604_800_000],
  ["P1DT12H", 129_600_000],
  ["P1DT2H3M4.5S", 93_784_500],
  ["PT0.25S", 250],
  ["PT0.0015S", 2],
  ["PT90M", 5_400_000],
  ["P0DT1S", 1000],
  ["P3653D", 3653 * 86_400_000],
])("C-50: %s is %d ms", (text, expected) => expect(parseDuration(text)).toBe(expected))

test.each([
  ["", "empty"],
  ["P", "no part"],
  ["PT", "no part"],
  ["P1DT", "nothing after T"],
  ["PT0S", "zero"],
  ["P0D", "zero"],
  ["PT0.0001S", "rounds to zero"],
  ["P1Y", "years"],
  ["P1M", "months"],
  ["P1Y2M3D", "years and months"],
  ["P1H", "hours without T"],
  ["PT1D", "days after T"],
  ["pt30s", "lower case"],
  ["PT30s", "lower case"],
  ["PT1S1M", "wrong order"],
  ["PT1M1M", "twice"],
  ["PT1.5M", "a fraction of minutes"],
  ["PT1,5S", "a comma"],
  ["PT.5S", "no digit before the point"],
  ["PT5.S", "no digit after the point"],
  ["-PT30S", "negative"],
  ["PT-30S", "negative"],
  ["+PT30S", "a sign"],
  ["30S", "no P"],
  ["PT30", "no unit"],
  [" PT30S", "a space"],
  ["PT30S\n", "a newline"],
  ["P3654D", "more than ten years"],
  ["PT99999999999999999999S", "more than ten years"],
])("C-50: %j is refused: %s", (text) => expect(parseDuration(text)).toBeUndefined())

test("C-50: an endless text is not read at all", () => {
  expect(parseDuration(`PT${"9".repeat(1_000_000)}S`)).toBeUndefined()
})

test("C-50: parts add up", () => {
  const part = fc.integer({ min: 1, max: 300 })
  fc.assert(
    fc.property(part, part, part, part, (d, h, m, s) => {
      expect(parseDuration(`P${d}DT${h}H${m}M${s}S`)).toBe((((d * 24 + h) * 60 + m) * 60 + s) * 1000)
    }),
  )
})
