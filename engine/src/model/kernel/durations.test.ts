// Durations as the wire has them, and as people write them.
import fc from "fast-check"
import { expect, test } from "vitest"
import { formatDuration, parseDuration, parseIsoDuration, shortDuration } from "./durations.ts"

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
])("C-50: %s is %d ms", (text, expected) => expect(parseIsoDuration(text)).toBe(expected))

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
  ["30s", "the short form"],
  ["1h30m", "the short form"],
  ["PT30", "no unit"],
  [" PT30S", "a space"],
  ["PT30S\n", "a newline"],
  ["P3654D", "more than ten years"],
  ["PT99999999999999999999S", "more than ten years"],
])("C-50: %j is refused: %s", (text) => expect(parseIsoDuration(text)).toBeUndefined())

test("C-50: an endless text is not read at all", () => {
  expect(parseIsoDuration(`PT${"9".repeat(1_000_000)}S`)).toBeUndefined()
})

test("C-50: parts add up", () => {
  const part = fc.integer({ min: 1, max: 300 })
  fc.assert(
    fc.property(part, part, part, part, (d, h, m, s) => {
      expect(parseIsoDuration(`P${d}DT${h}H${m}M${s}S`)).toBe((((d * 24 + h) * 60 + m) * 60 + s) * 1000)
    }),
  )
})

test.each<[string, number]>([
  ["500ms", 500],
  ["30s", 30_000],
  ["1.5s", 1_500],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["1h30m", 5_400_000],
  ["1m500ms", 60_500],
  ["1d", 86_400_000],
  ["2w", 1_209_600_000],
  ["1w2d3h4m5s6ms", 788_645_006],
  ["0.5d", 43_200_000],
  ["0s", 0],
  ["PT0S", 0],
  ["PT30S", 30_000],
  ["P30D", 2_592_000_000],
])("%s is %d ms where both forms are taken", (text, expected) => expect(parseDuration(text)).toBe(expected))

test.each([
  ["", "empty"],
  ["30", "no unit"],
  ["s", "no amount"],
  ["10 m", "a space"],
  ["10M", "upper case"],
  ["m10", "the unit first"],
  ["30m1h", "wrong order"],
  ["1m1m", "twice"],
  ["1.5h30m", "a fraction that is not alone"],
  ["1.s", "no digit after the point"],
  [".5s", "no digit before the point"],
  ["0.5ms", "a part of a millisecond"],
  ["0.0001s", "rounds to zero"],
  ["-5s", "negative"],
  ["5y", "years"],
  ["3654d", "more than ten years"],
  ["PT10m", "a mixture"],
  ["P1DT", "nothing after T"],
  [`${"9".repeat(80)}s`, "endless"],
])("%j is refused where both forms are taken: %s", (text) => expect(parseDuration(text)).toBeUndefined())

test.each([
  [0, "PT0S", "0ms"],
  [1, "PT0.001S", "1ms"],
  [250, "PT0.25S", "250ms"],
  [1_500, "PT1.5S", "1500ms"],
  [30_000, "PT30S", "30s"],
  [90_000, "PT90S", "90s"],
  [120_000, "PT2M", "2m"],
  [5_400_000, "PT90M", "90m"],
  [86_400_000, "P1D", "1d"],
])("%d ms is written %s on the wire, and %s by people", (ms, iso, short) => {
  expect([formatDuration(ms), shortDuration(ms)]).toEqual([iso, short])
})

const wholeMs = fc.integer({ min: 0, max: 3653 * 86_400_000 })

test("what is written is read as the same, in both forms", () => {
  fc.assert(
    fc.property(wholeMs, (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms)
      expect(parseDuration(shortDuration(ms))).toBe(ms)
      expect(parseIsoDuration(formatDuration(ms))).toBe(ms === 0 ? undefined : ms)
    }),
  )
})

test("both forms of the same parts mean the same", () => {
  const part = fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined })
  fc.assert(
    fc.property(part, part, part, part, part, (w, d, h, m, s) => {
      fc.pre([w, d, h, m, s].some((amount) => amount !== undefined))
      const spell = (amount: number | undefined, unit: string) => (amount === undefined ? "" : `${amount}${unit}`)
      const short = spell(w, "w") + spell(d, "d") + spell(h, "h") + spell(m, "m") + spell(s, "s")
      const time = spell(h, "H") + spell(m, "M") + spell(s, "S")
      const iso = `P${spell(w, "W")}${spell(d, "D")}${time === "" ? "" : `T${time}`}`
      expect(parseDuration(short)).toBe(parseDuration(iso))
    }),
  )
})

test("any text is read or refused, and never more than ten years", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseDuration(text)
      expect(ms === undefined || (Number.isInteger(ms) && ms >= 0 && ms <= 3653 * 86_400_000)).toBe(true)
    }),
  )
})
