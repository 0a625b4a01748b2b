// Where JSON is wrong: the same verdict as JSON.parse, with the place that it leaves out.
import { expect, test } from "vitest"
import { findJsonFault } from "./json-fault.ts"
import { jsonPlace } from "./json-place.ts"

const SOUND = [
  '{"a":[1,-2.5e+3,true,null,"x\\u00e9\\n"],"b":{}}',
  " [ ] ",
  '"text"',
  "0",
  '{"":[{}]}',
  '"\u007f\u2028"',
]

test.each(SOUND)("%j is JSON", (text) => {
  JSON.parse(text)
  expect(findJsonFault(text)).toBeUndefined()
})

test.each<[string, number, string]>([
  ["{a:1}", 1, "a name in double quotes"],
  ['{"a" 1}', 5, "a colon after the name"],
  ['{"a":}', 5, "a value"],
  ['{"a":1,}', 7, "a name in double quotes"],
  ["[1 2]", 3, ", or ]"],
  ["[1,]", 3, "a value"],
  ['{"a":1', 6, ", or }"],
  ["{} {}", 3, "the end"],
  ["01", 0, "a value"],
  ["nul", 0, "a value"],
  ['{"a":"x\ny"}', 5, "a string that ends"],
  ['["\\x"]', 1, "a string that ends"],
  ["'a'", 0, "a value"],
])("%j is wrong at %i", (text, at, expected) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(findJsonFault(text)).toMatchObject({ at, expected: expect.stringContaining(expected) })
})

test("the place has its line and column, and a mark under it, in a long line as well", () => {
  expect(jsonPlace('{\n  "a": 1,\n  b: 2\n}')).toEqual({
    line: 3,
    column: 3,
    message: "expected a name in double quotes, found b",
    picture: ["  b: 2", "  ^"],
  })
  const long = jsonPlace(`{"a":"${"x".repeat(500)}",b}`)
  expect(long?.column).toBe(508 + 1)
  expect(long?.picture[0]).toBe(`${"x".repeat(38)}",b}`)
  expect(long?.picture[1]).toBe(`${" ".repeat(40)}^`)
})

test("SEC-54: what is shown of it cannot move the cursor", () => {
  const place = jsonPlace('{"a":1, \u001b[2J\u202e}')
  expect(JSON.stringify(place)).not.toMatch(/\\u001b\[|\u202e/)
  expect(place?.message).toContain("\\u001b")
})
