// Values that programs trip over.
import type { Dice } from "./dice.ts"

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: an expression of the engine, as text
const TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "a\udfffb",
  "😀",
  "e\u0301",
  "\u202eabc",
  "\ufeff",
  "\r\n",
  "a\r\nX-Injected: 1",
  "\u001b[31m",
  "\u0085",
  "../../../etc/passwd",
  "%00",
  "%",
  "%c0%af",
  "' OR 1=1 --",
  "\\",
  '"',
  "${x}",
  "#{x}",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "true",
  "NaN",
  "-0",
  "0x10",
  "1e999",
  "9007199254740993",
  "99999999999999999999",
  "-1",
  "1.5",
  "2025-02-30T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "9999-12-31T23:59:60Z",
  "+275760-09-13T00:00:00.001Z",
  "2025-03-01T09:31:00+25:00",
  "PT0S",
  "P1Y",
  "P99999999999D",
  "PT0.0000001S",
  "127.0.0.1:80",
  "::ffff:192.0.2.1",
  "fe80::1%eth0",
  "256.1.1.1",
  "*",
  ".",
  "..",
  "a/b",
  "a,b",
  "[]",
  "{}",
  "[object Object]",
]
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
const LENGTHS = [63, 64, 65, 199, 200, 201, 256, 257, 512, 513, 5_000]
const NUMBERS = [0, -0, -1, 1.5, 0.1, 255, 256, 65_536, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, 2 ** 53]
const MORE_NUMBERS = [-(2 ** 53), 1e20, 1e21, 1e300, 1e-300, 5e-324, 253_402_300_800_000, 8_640_000_000_000_001]
/** Tokens of JSON text that no value of JavaScript is written as. */
const TOKENS = [
  "1e400",
  "-1e400",
  "12345678901234567890",
  "-0.0",
  "1E2",
  "0e-99999",
  "NaN",
  "Infinity",
  "01",
  "+1",
  ".5",
]

export function oddText(dice: Dice): string {
  if (dice.chance(0.15)) return dice.pick(["x", "é", "😀", "\u0001"]).repeat(dice.pick(LENGTHS))
  const text = dice.pick(TEXTS)
  return dice.chance(0.1) ? `${text}${dice.pick(TEXTS)}` : text
}

export const oddNumber = (dice: Dice): number => dice.pick([...NUMBERS, ...MORE_NUMBERS])

export const oddToken = (dice: Dice): string => dice.pick(TOKENS)

/** Any JSON; sometimes deep, wide or long. */
export function oddJson(dice: Dice, depth = 0): unknown {
  const at = dice.between(0, depth > 3 ? 4 : 9)
  if (at === 0) return null
  if (at === 1) return dice.chance(0.5)
  if (at === 2) return oddNumber(dice)
  if (at <= 4) return oddText(dice)
  if (at === 5) return nested(dice.pick([2, 31, 32, 33, 200]), dice.chance(0.5))
  if (at === 6) return Array.from({ length: dice.pick([0, 1, 3, 101, 1_001]) }, (_, n) => n)
  if (at === 7) return Array.from({ length: dice.between(0, 4) }, () => oddJson(dice, depth + 1))
  const keys = Array.from({ length: dice.pick([0, 1, 3, 5]) }, () => oddText(dice))
  return Object.fromEntries(keys.map((key) => [key, oddJson(dice, depth + 1)]))
}

function nested(levels: number, asList: boolean): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = asList ? [value] : { a: value }
  return value
}
