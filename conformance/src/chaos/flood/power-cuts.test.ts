// What a power cut may have taken back.
import { expect, test } from "vitest"
import { PowerCuts } from "./power-cuts.ts"

const claim = (askedAt: number, claimedAt: number) => ({ askedAt, claimedAt })

test("a claim that was seen before a commit was sent is on the disk when that commit is answered before the cut", () => {
  const cuts = new PowerCuts([{ from: 1_000, until: 3_000 }])
  expect(cuts.mayHaveLost(claim(100, 110))).toBe(true)
  cuts.committed(500, 600)
  expect(cuts.mayHaveLost(claim(100, 110))).toBe(false)
  expect(cuts.mayHaveLost(claim(490, 510))).toBe(true)
})

test("a commit that was answered after the cut began says nothing", () => {
  const cuts = new PowerCuts([{ from: 1_000, until: 3_000 }])
  cuts.committed(500, 1_001)
  expect(cuts.mayHaveLost(claim(100, 110))).toBe(true)
})

test("a worker that was frozen may hear of its claim long after the cut; what was claimed after it is not touched", () => {
  const cuts = new PowerCuts([{ from: 1_000, until: 3_000 }])
  expect(cuts.mayHaveLost(claim(900, 9_000))).toBe(true)
  expect(cuts.mayHaveLost(claim(3_001, 3_010))).toBe(false)
})

test("what one cut has left the next one does not take", () => {
  const cuts = new PowerCuts([
    { from: 1_000, until: 1_100 },
    { from: 2_000, until: 2_100 },
  ])
  cuts.committed(500, 600)
  expect(cuts.mayHaveLost(claim(100, 110))).toBe(false)
  expect(cuts.mayHaveLost(claim(1_200, 1_210))).toBe(true)
})
