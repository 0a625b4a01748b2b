import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { keepsDigits } from "./double-digits.ts"
import { parseJson } from "./json-scan.ts"

/** What each language prints for the same doubles: 0.1, 1/3, 1e-5, the smallest two, 0.1 + 0.2, 4.35, 2^53 − 1, 2^-44 and 1e15/7. */
const PRINTED: Readonly<Record<string, readonly string[]>> = {
  "Python, repr": [
    "0.1 0.3333333333333333 1e-05 5e-324 2.2250738585072014e-308 0.30000000000000004",
    "4.35 9007199254740991.0 5.684341886080802e-14 142857142857142.84 -0.5 100.0",
  ],
  'Python and C, "%.17g"': [
    "0.10000000000000001 0.33333333333333331 1.0000000000000001e-05 4.9406564584124654e-324 2.2250738585072014e-308",
    "0.30000000000000004 4.3499999999999996 9007199254740991 5.6843418860808015e-14 142857142857142.84 -0.5 100",
  ],
  'C, "%.16e", "%.15g", "%g" and "%f"': [
    "1.0000000000000001e-01 3.3333333333333331e-01 4.9406564584124654e-324 9.0071992547409910e+15",
    "0.333333333333333 4.94065645841247e-324 9.00719925474099e+15 142857142857143 0.333333 4.94066e-324",
    "0.100000 0.000000 9007199254740991.000000 142857142857142.843750",
  ],
  "Java, Double.toString and BigDecimal": [
    "0.1 0.3333333333333333 1.0E-5 4.9E-324 2.2250738585072014E-308 0.30000000000000004 9.007199254740991E15",
    "5.6843418860808015E-14 1.4285714285714284E14 100.0 0.0020000000000000000 0.000010000000000000001",
    "0.1000000000000000055511151231257827021181583404541015625",
  ],
  'Go, encoding/json, "%v" and FormatFloat': [
    "0.1 0.3333333333333333 0.00001 1e-05 5e-324 2.2250738585072014e-308 1e-7 4.35 4.35e+00 9.007199254740991e+15",
    "5.684341886080802e-14 142857142857142.84 1.4285714285714284e+14 1e+02 -5e-01",
  ],
  "JavaScript, String, toPrecision and toExponential": [
    "0.1 1e-1 0.10000000000000001 0.3333333333333333 0.00001 0.000010000000000000001 5e-324 9007199254740991.0",
    "5.6843418860808015e-14 100.00000000000000 -0.50000000000000000 1e+2 142857142857142.84 1.23456789e+5",
  ],
}

const literals = (language: string): readonly string[] => PRINTED[language]!.flatMap((line) => line.split(" "))

describe("S25: what a language prints for a double is taken", () => {
  test.each(Object.keys(PRINTED))("S25: %s", (language) => {
    for (const literal of literals(language)) expect(parseJson(`[${literal}]`)).toEqual([Number(literal)])
  })

  const below = fc.double({ noNaN: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })

  test("S25: any double, with up to seventeen digits", () => {
    fc.assert(
      fc.property(below, fc.integer({ min: 1, max: 17 }), (value, precision) => {
        const printed = [String(value), value.toPrecision(precision), value.toExponential(precision - 1)]
        for (const literal of printed) {
          if (Math.abs(Number(literal)) > Number.MAX_SAFE_INTEGER) continue
          expect(parseJson(literal), literal).toBe(Number(literal))
        }
      }),
    )
  })
})

describe("S25: what would be rounded is refused", () => {
  /** Odd in its last digit, which no double below one with so few digits is, unless it ends in 5. */
  const rounded = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 16 }))
    .chain(([first, rest]) => fc.constantFrom("1", "3", "7", "9").map((last) => `0.${first}${rest}${last}`))

  test("S25: more than seventeen digits that no double has", () => {
    fc.assert(fc.property(rounded, (literal) => !keepsDigits(literal, Number(literal))))
    fc.assert(fc.property(rounded, (literal) => void expect(() => parseJson(`{"a":${literal}}`)).toThrow("at $.a ")))
  })

  test.each(["1e-400", "-1e-400", "0.00001e-400", "4e-325"])("S25: %s, which would be nothing", (literal) => {
    expect(() => parseJson(literal)).toThrow("does not keep")
  })

  test.each(["0", "-0", "0.0", "0e5", "0.000e-400", "-0E+400"])("S25: %s is nothing, and says so", (literal) => {
    expect(parseJson(literal)).toBe(Number(literal))
  })
})
