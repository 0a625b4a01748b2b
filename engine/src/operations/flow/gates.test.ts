// What a process believes of the gates between two answers of the database.
import { beforeEach, expect, test } from "vitest"
import { Gates } from "./gates.ts"

let now = 0
let gates: Gates
beforeEach(() => {
  now = 0
  gates = new Gates(() => now)
})

test("D-12, D-X12: a gate is of one priority, the one of the total is of all", () => {
  gates.heardAll(["high"])
  expect([gates.isShut("critical"), gates.isShut("high"), gates.isShut("normal")]).toEqual([false, true, false])
  gates.heardAll(["total"])
  expect([gates.isShut("critical"), gates.isShut("high"), gates.isShut("normal")]).toEqual([true, true, true])
})

test("D-12: an answer about one gate says nothing of the others", () => {
  gates.heardAll(["high", "normal"])
  gates.heard("high", false)
  expect([gates.isShut("high"), gates.isShut("normal")]).toEqual([false, true])
  gates.heard("high", true)
  expect(gates.isShut("high")).toBe(true)
})

test("a process that hears nothing more asks the database again", () => {
  gates.heardAll(["normal"])
  now = 2_999
  expect(gates.isShut("normal")).toBe(true)
  now = 3_000
  expect(gates.isShut("normal")).toBe(false)
})
