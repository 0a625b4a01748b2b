// What an instance is called: by its key, else its business key; a linking id stands beside.
import { expect, test } from "vitest"
import { keyOf, namesOf, namesText, otherNames } from "./instance-names.ts"

const all = { key: "k", businessKey: "b", linkingId: "l" }

test("the key stands for the instance, else the business key, and never the linking id", () => {
  expect([all, { businessKey: "b", linkingId: "l" }, { linkingId: "l" }, {}].map(keyOf)).toEqual([
    "k",
    "b",
    undefined,
    undefined,
  ])
})

test("what does not stand for it is told beside it, each by its name", () => {
  expect(namesText(otherNames(all))).toBe("business key b · linking id l")
  expect(namesText(otherNames({ businessKey: "b", linkingId: "l" }))).toBe("linking id l")
  expect(namesText(otherNames({ key: "same", businessKey: "same" }))).toBe("")
  expect(namesText(otherNames({ businessKey: "same", linkingId: "same" }))).toBe("linking id same")
})

test("each name there is has its meaning with it", () => {
  expect(namesOf({ ...all, key: undefined }).map(({ label, value }) => [label, value])).toEqual([
    ["Business key", "b"],
    ["Linking id", "l"],
  ])
  for (const { about } of namesOf(all)) expect(about).toMatch(/\.$/)
})
