// The log of a bulk operation stays short, whatever was left and for however many reasons.
import { expect, test, vi } from "vitest"
import { conflict } from "../../support/errors.ts"
import { createLogger } from "../../support/log.ts"
import { LeftBehind } from "./left-behind.ts"

const bulk = { id: "01BULK", action: "cancel" }

function told(left: LeftBehind) {
  const log = createLogger({ level: "silent" })
  const warned = vi.spyOn(log, "warn")
  left.tell({ log }, bulk)
  return warned.mock.calls.map(([fields]) => fields)
}

test("reasons that differ only in an id are told as one, with the first", () => {
  const left = new LeftBehind()
  const ids = ["01JN8Z3V5E8Q2R7W4Y6T9A1B3C", "01JN8Z3V5E8Q2R7W4Y6T9A1B3D"]
  for (const id of ids) left.note(id, conflict(`instance ${id} has ended meanwhile`))
  expect(told(left)).toEqual([
    { bulkId: "01BULK", action: "cancel", reason: `instance ${ids[0]} has ended meanwhile`, ids, count: 2 },
  ])
})

test("ten reasons are told at most", () => {
  const left = new LeftBehind()
  for (let n = 0; n < 12; n++) left.note(`id-${n}`, conflict(`reason ${n}`))
  expect(told(left)).toHaveLength(10)
})
