import { expect, test } from "vitest"
import { boundsOf, fittingZoom } from "./graph-view.ts"
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
