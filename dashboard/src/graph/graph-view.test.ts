import { expect, test } from "vitest"
import { boundsOf, closeTo, fittingZoom } from "./graph-view.ts"
import type { GraphLayout } from "./placed.ts"

const nodes = [{ id: "a", x: 0, y: 0, width: 200, height: 50 }]
const edge = { id: "e", from: "a", to: "a", kind: "branch", path: "" } as const
const layout = (label?: string): GraphLayout => ({
  nodes,
  edges: [{ ...edge, ...(label === undefined ? {} : { label, labelAt: { x: 200, y: 100 } }) }],
})

test("the whole drawing has room for the words on its lines, which may reach beyond the steps", () => {
  expect(boundsOf(layout())).toEqual({ x: 0, y: 0, width: 200, height: 50 })
  const { x, y, width, height } = boundsOf(layout("amount <= 100"))
  expect([x, y, height]).toEqual([0, 0, 109])
  expect(width).toBeGreaterThan(240)
  expect(fittingZoom(layout("amount <= 100"), { width: 200, height: 200 })).toBeLessThan(
    fittingZoom(layout(), { width: 200, height: 200 }),
  )
})

test("a step that is looked at closely is in the middle, but the frame shows nothing beyond the drawing", () => {
  const row = Array.from({ length: 20 }, (_, at) => ({ id: `s${at}`, x: 0, y: at * 100, width: 200, height: 50 }))
  const frame = { width: 360, height: 300 }
  const seenAt = (at: number) => {
    const { x, y, zoom } = closeTo(row[at] as (typeof row)[number], { nodes: row, edges: [] }, frame)
    const placeOf = (top: number) => Math.round(top * zoom + y)
    return {
      first: placeOf(0),
      middle: placeOf(at * 100 + 25),
      last: placeOf(1_950),
      across: Math.round(100 * zoom + x),
    }
  }
  expect(seenAt(0).first).toBe(18)
  expect(seenAt(10).middle).toBe(150)
  expect(seenAt(19).last).toBe(300 - 18)
  // The drawing is narrower than the frame: it stays in its middle.
  expect([0, 10, 19].map((at) => seenAt(at).across)).toEqual([180, 180, 180])
})
