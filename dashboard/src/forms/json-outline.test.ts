import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { outlineOf } from "./json-outline.ts"
import { lineStarts, placesOf, readPath } from "./json-places.ts"

const DOCUMENT = `{
  "id": "order",
  "steps": [
    {
      "id": "size",
      "conditionalNextSteps": {
        "amount > 5": "big",
        "true": "small"
      }
    },
    { "id": "small", "nextStep": "nowhere" }
  ]
}`

const lineOf = (path: string, text = DOCUMENT) => placesOf(text, [{ path, message: "is wrong" }])[0]?.line

/** The line of the text that a fault is shown at, and what it says. */
function faultOf(text: string) {
  const [place] = placesOf(text, [])
  return place && `${place.line}: ${place.message}`
}

describe("paths of violations", () => {
  test("the engine's paths are read with quoted keys, indexes and escapes", () => {
    expect(readPath('$.steps[2].conditionalNextSteps["a > \\"5\\""]')).toEqual([
      "steps",
      2,
      "conditionalNextSteps",
      'a > "5"',
    ])
    expect(readPath("steps[0].nextStep")).toEqual(["steps", 0, "nextStep"])
    expect(readPath("/steps/0/a~1b")).toEqual(["steps", 0, "a/b"])
    expect(readPath("$")).toEqual([])
  })

  test("a violation is shown at the line of its key", () => {
    expect(lineOf('$.steps[0].conditionalNextSteps["amount > 5"]')).toBe(7)
    expect(lineOf("$.steps[1].nextStep")).toBe(11)
    expect(lineOf("$.steps")).toBe(3)
    expect(lineOf("$")).toBe(1)
  })

  test("what is missing is shown where it would be, by its name", () => {
    expect(placesOf(DOCUMENT, [{ path: "$.steps[0].name", message: "is required" }])).toMatchObject([
      { line: 4, message: "is required", inLine: "name is required" },
    ])
    expect(lineOf("$.name")).toBe(1)
  })

  test("a key that the engine cut is found by its beginning", () => {
    const key = `${"x".repeat(250)}`
    const text = `{\n"a": {\n"${key}": 1\n}}`
    expect(lineOf(`$.a["${"x".repeat(199)}…"]`, text)).toBe(3)
  })

  test("violations before a fault keep their lines while the text is being typed", () => {
    const places = placesOf(`${DOCUMENT.slice(0, -3)} "x"`, [{ path: "$.steps[1].nextStep", message: "no such step" }])
    expect(places.map(({ line, message }) => [line, message])).toContainEqual([11, "no such step"])
  })
})

describe("text that is not JSON", () => {
  test("a missing comma is missed at the line it should end", () => {
    expect(faultOf('{\n  "a": 1\n  "b": 2\n}')).toBe("2: A comma or } is missing after this")
  })

  test.each([
    ["", "1: There is nothing here yet"],
    ['{\n"a": 1,\n}', "2: The comma before } is one too many"],
    ["{\n'a': 1}", '2: A name stands in double quotes: "a"'],
    ['{"a" 1}', '1: A colon is missing after "a"'],
    ['{"a":\n}', "2: A value is missing here"],
    ["[1,\n2", "2: The text ends before its closing ]"],
    ["{}\n{}", "2: The JSON ends before this"],
    ['{"a": yes}', "1: yes is not JSON: text stands in double quotes"],
    ['{"a": 1,\n"a": 2}', '2: "a" is written twice in this object'],
    [`${"[".repeat(600)}`, "1: This is nested too deeply"],
  ])("%j", (text, fault) => {
    expect(faultOf(text)).toBe(fault)
  })

  test("agrees with JSON.parse about every text, but for keys written twice", () => {
    const parts = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b\\n"',
      '"\\x"',
      "1",
      "-0.5e3",
      "01",
      "true",
      "nul",
      " ",
      "\n",
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (tokens) => {
        const text = tokens.join("")
        const { fault } = outlineOf(text)
        if (fault?.message.includes("written twice")) return
        expect(fault === undefined).toBe(isJson(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test("finds every value of any document", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value, null, 2)
        expect(outlineOf(text).fault).toBeUndefined()
        expect(lineStarts(text)).toHaveLength(text.split("\n").length)
      }),
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
