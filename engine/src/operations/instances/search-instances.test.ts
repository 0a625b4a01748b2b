// Instances are found by the beginning of the key of their run, of their business key or of their id.
import { afterAll, beforeAll, expect, test } from "vitest"
import { step, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { searchInstances } from "./search-instances.ts"

let mills: Mills
const ids: string[] = []
const flow = workflow("order", { steps: [step("one", () => {})] })
const other = workflow("refund", { steps: [step("one", () => {})] })

beforeAll(async () => {
  mills = await openMills()
  const { mill } = mills
  for (const key of ["2026/b", "2026/a", "2025/a", "50%_off", "50x"]) ids.push((await mill.start(flow, {}, { key })).id)
  await mill.start(other, {}, { key: "2026/a" })
  await mill.start(other, {}, { businessKey: "2026-customer" })
  await mill.drain([other])
})
afterAll(() => mills.close())

const found = async (prefix: string, limit = 8) =>
  (await searchInstances(mills.kernel, { prefix, limit })).map(({ matched, text, definitionId }) => [
    matched,
    text,
    definitionId,
  ])

test("by the beginning of a key, of every definition, in the order of the keys; business keys after them", async () => {
  const keys = await found("2026")
  expect(keys.slice(0, 2).map(([, text]) => text)).toEqual(["2026/a", "2026/a"])
  expect(keys.slice(2)).toEqual([
    ["key", "2026/b", "order"],
    ["businessKey", "2026-customer", "refund"],
  ])
  expect(await found("2026", 1)).toHaveLength(1)
})

test("by the beginning of an id, also in small letters", async () => {
  const [id = ""] = ids
  expect(await found(id.slice(0, -1).toLowerCase())).toContainEqual(["id", id, "order"])
})

test("signs that mean something in a pattern are only signs", async () => {
  expect(await found("50%")).toEqual([["key", "50%_off", "order"]])
  expect(await found("%")).toEqual([])
})
