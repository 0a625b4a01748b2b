// Tables: aligned, fitted to the terminal, and deaf to what the data would like to tell it.
import { expect, test } from "vitest"
import { cellText, cut, jsonText, widthOf } from "./cell-text.ts"
import { painterFor, plain } from "./paint.ts"
import { type Column, facts, table } from "./table.ts"

interface Row {
  readonly id: string
  readonly error: string
  readonly size: number
}
const columns: readonly Column<Row>[] = [
  { title: "ID", of: ({ id }) => id },
  { title: "SIZE", of: ({ size }) => size, align: "right", extra: true },
  { title: "ERROR", of: ({ error }) => error, cutTo: 8, style: () => "red" },
]
const rows = [
  { id: "a", size: 7, error: "connection refused by the other side" },
  { id: "bcd", size: 12_000, error: "timeout" },
]
const drawn = (width: number | undefined, given: readonly Row[] = rows) =>
  table(columns, given, { width, paint: plain })

test("columns are aligned, numbers to the right, and nothing is cut where nobody looks", () => {
  expect(`\n${drawn(undefined).join("\n")}\n`).toBe(`
ID    SIZE  ERROR
a        7  connection refused by the other side
bcd  12000  timeout
`)
})

test("what may be cut is cut to the width of the terminal", () => {
  expect(`\n${drawn(30).join("\n")}\n`).toBe(`
ID    SIZE  ERROR
a        7  connection refuse…
bcd  12000  timeout
`)
})

test("where even that is too wide, extra columns go and ids are kept whole", () => {
  expect(drawn(16)).toEqual(["ID   ERROR", "a    connection…", "bcd  timeout"])
  expect(drawn(5)[2]).toBe("bcd  timeout")
})

test("wide characters and accents keep the columns straight", () => {
  const lines = drawn(undefined, [
    { id: "請求書", size: 1, error: "x" },
    { id: "é", size: 2, error: "y" },
  ])
  expect(lines.slice(1).map((line) => widthOf(line.slice(0, line.search(/[xy]/))))).toEqual([14, 14])
  expect(cut("請求書", 4)).toBe("請…")
})

test("SEC-54: nothing in a cell reaches the terminal as anything but text", () => {
  const evil = "a\u001b[31mb\u0007\u009b2Jc\r\nd\u202ee\u0000 mill_k1_secret"
  expect(cellText(evil)).toBe("a\\u001b[31mb\\u0007\\u009b2Jc d\\u202ee\\u0000 mill_k1_****")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  expect(drawn(80, [{ id: evil, size: 1, error: evil }]).join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  expect(facts([["Error", evil]], { width: 80, paint: plain }).join("")).not.toContain("\u001b")
})

test("SEC-54: JSON for programs is the same data, without what a terminal would obey", () => {
  const data = { text: "\u001b\u009b\u202e\u{e0001}\u007f é 請" }
  const text = jsonText(data, 2)
  expect(text).toContain("\\u001b\\u009b\\u202e\\udb40\\udc01\\u007f é 請")
  expect(JSON.parse(text)).toEqual(data)
})

test("colour only on a terminal that wants it", () => {
  const red = (screen: object, env: Record<string, string>) =>
    painterFor({ write: () => {}, ...screen }, env)("red", "x")
  expect(red({ isTTY: true }, {})).toBe("\u001b[31mx\u001b[39m")
  expect(red({ isTTY: true }, { NO_COLOR: "" })).toContain("\u001b")
  for (const plainly of [red({}, {}), red({ isTTY: true }, { NO_COLOR: "1" }), red({ isTTY: true }, { TERM: "dumb" })])
    expect(plainly).toBe("x")
})
