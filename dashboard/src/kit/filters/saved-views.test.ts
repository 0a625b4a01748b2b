import { describe, expect, test } from "vitest"
import { readInstanceFilter } from "../../screens/instances/search.ts"
import { isSameFilter, parseSaved, withoutSaved, withSaved } from "./saved-views.ts"

const parse = (stored: string | null) => parseSaved(stored, (search) => ({ ...readInstanceFilter(search) }))

describe("C-122: saved views", () => {
  test("are read as they were written", () => {
    const saved = [{ name: "Failed orders", filter: { definitionId: "order", status: "FAILED", started: "1h" } }]
    expect(parse(JSON.stringify(saved))).toEqual(saved)
  })

  test("what is no view is left out, and the others stay", () => {
    for (const stored of [null, "", "{", "7", "{}", "[null, 7, {}]", '[{"name":1,"filter":{}}]', '[{"name":"a"}]'])
      expect(parse(stored)).toEqual([])
    const stored = '[null,{"name":"a","filter":{"status":"NONSENSE","version":2,"businessKey":{"x":1},"other":"y"}}]'
    expect(parse(stored)).toEqual([{ name: "a", filter: { status: "NONSENSE", version: "2" } }])
  })

  test("a second of the same name takes the place of the first, and they are in order", () => {
    const all = ["b", "a", "b"].reduce<ReturnType<typeof parse>>(
      (list, name, at) => withSaved(list, { name, filter: { businessKey: `k${at}` } }),
      [],
    )
    expect(all.map(({ name, filter }) => `${name} ${filter.businessKey}`)).toEqual(["a k1", "b k2"])
    expect(withoutSaved(all, "a")).toHaveLength(1)
  })

  test("a filter that is not set is the same as none", () => {
    expect(isSameFilter({ status: "FAILED", version: undefined }, { status: "FAILED" })).toBe(true)
    expect(isSameFilter({ status: "FAILED" }, {})).toBe(false)
  })
})
