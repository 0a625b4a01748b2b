// Priorities by weight, in the model: shares over many picks, no starving, nothing lost when a priority is empty.
import fc from "fast-check"
import { expect, test } from "vitest"
import { PRIORITIES, type Priority } from "../definitions/definition.ts"
import { type LaneCount, PriorityShares } from "./priority-shares.ts"
import { readWeights, type Weights } from "./weights.ts"

const WEIGHTS: Weights = { critical: 60, high: 30, normal: 10 }

/** A worker that takes `batch` at a time from priorities with so much in them. */
function take(shares: PriorityShares, stock: Record<Priority, number>, batch: number, weights = WEIGHTS): Priority[] {
  const taken: Priority[] = []
  let priorities = PRIORITIES.filter((priority) => stock[priority] > 0)
  while (taken.length < batch && priorities.length > 0) {
    const picks = shares.deal(batch - taken.length, priorities, weights)
    const counts = new Map<Priority, { asked: number; got: number }>()
    for (const [priority, asked] of picks) {
      const got = Math.min(asked, stock[priority])
      stock[priority] -= got
      counts.set(priority, { asked, got })
      for (let n = 0; n < got; n++) taken.push(priority)
    }
    shares.settle(counts, priorities, weights)
    priorities = PRIORITIES.filter((priority) => stock[priority] > 0)
  }
  return taken
}

const backlog = () => ({ critical: 1e9, high: 1e9, normal: 1e9 })
const count = (picks: readonly Priority[], priority: Priority) => picks.filter((pick) => pick === priority).length

test.each([1, 10, 100])("D-14, D-T3, S22: 10,000 picks in batches of %i follow the weights to the pick", (batch) => {
  const shares = new PriorityShares()
  const stock = backlog()
  const picks = Array.from({ length: 10_000 / batch }, () => take(shares, stock, batch)).flat()
  expect(PRIORITIES.map((priority) => count(picks, priority))).toEqual([6_000, 3_000, 1_000])
})

test("D-14, D-T3: 100/0/0 hands out critical jobs alone while there are any, and the others when there are none", () => {
  const weights = { critical: 100, high: 0, normal: 0 }
  const shares = new PriorityShares()
  const stock = { critical: 50, high: 10, normal: 10 }
  const first = take(shares, stock, 50, weights)
  expect(count(first, "critical")).toBe(50)
  const rest = take(shares, stock, 20, weights)
  expect([count(rest, "high"), count(rest, "normal")]).toEqual([10, 10])
})

test("F70, S22: a backlogged priority of weight 10 is served within every 20 picks, whatever trickles into the others", () => {
  const priority = fc.record({ critical: fc.nat(3), high: fc.nat(3), batch: fc.integer({ min: 1, max: 7 }) })
  fc.assert(
    fc.property(fc.array(priority, { minLength: 30, maxLength: 200 }), (turns) => {
      const shares = new PriorityShares()
      const stock = { critical: 0, high: 0, normal: 1e6 }
      const picks = turns.flatMap(({ critical, high, batch }) => {
        stock.critical += critical
        stock.high += high
        return take(shares, stock, batch)
      })
      for (let from = 0; from + 20 <= picks.length; from++) {
        expect(picks.slice(from, from + 20)).toContain("normal")
      }
    }),
    { numRuns: 300 },
  )
})

test("a batch is always filled while any priority has work", () => {
  const shares = new PriorityShares()
  expect(take(shares, { critical: 1, high: 0, normal: 99 }, 100)).toHaveLength(100)
})

test("D-50: weights are whole, not negative, and 100 in all", () => {
  expect(readWeights({ critical: 60, high: 30, normal: 10 })).toEqual(WEIGHTS)
  for (const bad of [
    null,
    {},
    { critical: 60, high: 30, normal: 9 },
    { critical: 110, high: -10, normal: 0 },
    { critical: 33.4, high: 33.3, normal: 33.3 },
  ])
    expect(readWeights(bad)).toBeUndefined()
})

test("where no priority has anything, nothing is dealt", () => {
  expect(new PriorityShares().deal(3, [], { critical: 50, high: 30, normal: 20 })).toEqual(new Map())
})

test("S22: a priority that has run empty is owed nothing for the time before", () => {
  const shares = new PriorityShares()
  const weights = { critical: 50, high: 0, normal: 50 }
  const both = ["critical", "normal"] as const
  const settle = (critical: LaneCount, normal: LaneCount) =>
    shares.settle(
      new Map([
        ["critical", critical],
        ["normal", normal],
      ]),
      both,
      weights,
    )
  settle({ asked: 1, got: 1 }, { asked: 0, got: 0 })
  expect([...shares.deal(1, both, weights).keys()]).toEqual(["normal"])
  settle({ asked: 1, got: 1 }, { asked: 1, got: 0 })
  expect([...shares.deal(1, both, weights).keys()]).toEqual(["critical"])
})
