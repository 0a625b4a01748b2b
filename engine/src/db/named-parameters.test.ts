// Named parameters: what stands for one in a statement, and what does not.
import { describe, expect, test } from "vitest"
import { bindValues } from "./bind-values.ts"
import { numberParameters } from "./named-parameters.ts"
import { statement } from "./statements.ts"

const textOf = (text: string): string => numberParameters(text).text

describe("numbers", () => {
  test("go by the first mention, and a second mention has the same", () => {
    const { text, parameters } = numberParameters("select @b::text, @a + @b where x > @limit")
    expect(text).toBe("select $1::text, $2 + $1 where x > $3")
    expect(parameters).toEqual([{ name: "b" }, { name: "a" }, { name: "limit" }])
  })

  test.each([
    ["a text", "select 'it''s @home' || @a", "select 'it''s @home' || $1"],
    ["a quoted name", 'select "@x" from t where a = @a', 'select "@x" from t where a = $1'],
    ["a comment", "-- as @said\nselect @a", "-- as @said\nselect $1"],
    ["an operator", "select tags @> @a, x <@ y, c::integer, b[1:2]", "select tags @> $1, x <@ y, c::integer, b[1:2]"],
  ])("leave %s alone", (_, text, expected) => expect(textOf(text)).toBe(expected))

  test("give a list of rows one array per column", () => {
    const { text, parameters } = numberParameters(
      "insert into t select x.* from @rows as x (\n  id text, at timestamptz\n), u where u.a = @a",
    )
    expect(text).toBe(
      "insert into t select x.* from unnest($1::text[], $2::timestamptz[]) as x (id, at), u where u.a = $3",
    )
    expect(parameters).toEqual([{ name: "rows", columns: ["id", "at"] }, { name: "a" }])
  })

  test("count the rows of a list with ordinality", () => {
    expect(textOf("from @rows with ordinality as x (id text, place)")).toBe(
      "from unnest($1::text[]) with ordinality as x (id, place)",
    )
  })

  test("are not written by hand", () => {
    expect(() => textOf("select $1")).toThrow("a parameter has a name, not a number: select $1")
  })

  test("refuse one name for two things, and a column without a plain type", () => {
    expect(() => textOf("select @a from @a as x (id text)")).toThrow("@a is the same wherever a statement names it")
    expect(() => textOf("from @a as x (id double precision)")).toThrow('not "id double precision"')
  })
})

describe("values", () => {
  const add = statement("notes.add", "insert into t select x.*, @at from @notes as x (id text, size integer)")

  test("are sent in the order of the statement, however they were given", () => {
    const notes = [
      { size: 1, id: "a" },
      { size: 2, id: "b" },
    ]
    expect(bindValues(add, { notes, at: null })).toEqual([null, ["a", "b"], [1, 2]])
    expect(bindValues(add, { at: 5, notes: [] })).toEqual([5, [], null])
  })

  test("of a column that is empty in every row are one NULL, but for the first column", () => {
    const notes = [
      { id: null, size: null },
      { id: null, size: null },
    ]
    expect(bindValues(add, { at: 1, notes })).toEqual([1, [null, null], null])
  })

  test.each([
    ["a missing value", { notes: [] }, "notes.add: at is missing"],
    ["an unknown value", { notes: [], at: 1, on: 2 }, "notes.add: on is unknown"],
    ["a missing column", { at: 1, notes: [{ id: "a" }] }, "notes.add: a row of a list: size is missing"],
    ["an unknown column", { at: 1, notes: [{ id: "a", size: 1, x: 2 }] }, "notes.add: a row of a list: x is unknown"],
    [
      "a row unlike the first",
      {
        at: 1,
        notes: [
          { id: "a", size: 1 },
          { size: 1, id: "a" },
        ],
      },
      "in another order",
    ],
  ])("%s is refused with its name", (_, values, message) => expect(() => bindValues(add, values)).toThrow(message))
})
