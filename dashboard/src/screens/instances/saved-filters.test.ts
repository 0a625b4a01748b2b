import { describe, expect, test } from "vitest"
import { parseSaved, withoutSaved, withSaved } from "./saved-filters.ts"

describe("C-122: saved filters", () => {
  test("are read as they were written", () => {
    const saved = [{ name: "Failed orders", filter: { definitionId: "order", status: "FAILED" } }]
    expect(parseSaved(JSON.stringify(saved))).toEqual(saved)
  })

  test("what is no filter is left out, whoever wrote it", () => {
    for (const stored of [null, "", "{", "7", "{}", "[null, 7, {}]", '[{"name":1,"filter":{}}]', '[{"name":"a"}]'])
      expect(parseSaved(stored)).toEqual([])
    const stored = '[{"name":"a","filter":{"status":"NONSENSE","version":2,"businessKey":{"x":1},"other":"y"}}]'
    expect(parseSaved(stored)).toEqual([{ name: "a", filter: { version: "2" } }])
  })

  test("a second of the same name takes the place of the first, and they are in order", () => {
    const all = ["b", "a", "b"].reduce<ReturnType<typeof parseSaved>>(
      (list, name, at) => withSaved(list, { name, filter: { businessKey: `k${at}` } }),
      [],
    )
    expect(all.map(({ name, filter }) => `${name} ${filter.businessKey}`)).toEqual(["a k1", "b k2"])
    expect(withoutSaved(all, "a")).toHaveLength(1)
  })
})
