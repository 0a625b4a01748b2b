// The table of the busiest callers: it names those that call most, and does not grow with their number.
import { expect, test } from "vitest"
import { Busiest } from "./busiest.ts"

test("SEC-65: a hundred thousand callers that come once do not push out the one that comes often", () => {
  const busiest = new Busiest(() => 0)
  for (let n = 0; n < 100_000; n++) {
    busiest.note(`ip:${n}`, false)
    if (n % 10 === 0) busiest.note("often", n % 20 === 0)
  }
  expect(busiest.top(1)).toEqual([{ name: "often", requests: 10_000, refused: 5_000 }])
  expect(busiest.top(1_000_000).length).toBeLessThanOrEqual(1_000)
})

test("what was long ago counts for less, and is forgotten", () => {
  let nowMs = 0
  const busiest = new Busiest(() => nowMs)
  for (let n = 0; n < 8; n++) busiest.note("old", true)
  nowMs = 300_000
  expect(busiest.top(5)).toEqual([{ name: "old", requests: 4, refused: 4 }])
  nowMs = 3_600_000
  expect(busiest.top(5)).toEqual([])
})
