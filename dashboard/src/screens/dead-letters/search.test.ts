import { expect, test } from "vitest"
import { filterOf, readDeadLetterSearch, viewOf } from "./search.ts"

test("whoever comes with a filter that the groups do not know is shown the list", () => {
  expect(viewOf({})).toBe("errors")
  expect(viewOf({ since: "2025-03-01T09:00:00.000Z" })).toBe("errors")
  for (const search of [{ type: "mail" }, { failure: "3f1c" }, { letter: "01J" }, { definitionId: "order" }])
    expect(viewOf(search)).toBe("list")
  expect(viewOf({ view: "errors", type: "mail" })).toBe("errors")
})

test("an address that was typed by somebody holds no more than it may", () => {
  const search = readDeadLetterSearch({ view: "table", priority: "urgent", type: 7, failure: "", letter: { a: 1 } })
  expect(search).toEqual({ type: "7" })
  expect(filterOf({ ...search, failure: "3f1c", definitionId: "order" })).toEqual({
    type: "7",
    error: "3f1c",
    definition_id: "order",
  })
})
