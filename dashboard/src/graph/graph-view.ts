// Where the graph is looked at: all of it where that can be read, else the step that matters.
import type { ReactFlowInstance } from "@xyflow/react"
import type { PlacedNode } from "./placed.ts"
import type { StepNode } from "./step-node.tsx"

export type Flow = ReactFlowInstance<StepNode>

/** Below this the names cannot be read. */
const READABLE = 0.55
const CLOSE = 0.85
export const MIN_ZOOM = 0.01
export const MAX_ZOOM = 1.6

export const FIT = { padding: 0.06, maxZoom: 1, minZoom: MIN_ZOOM } as const

export interface Frame {
  readonly width: number
  readonly height: number
}

/** How much of its size the whole drawing would have. */
export function fittingZoom(nodes: readonly PlacedNode[], frame: Frame): number {
  const width = extent(nodes.flatMap(({ x, width }) => [x, x + width]))
  const height = extent(nodes.flatMap(({ y, height }) => [y, y + height]))
  return Math.min(1, frame.width / Math.max(1, width), frame.height / Math.max(1, height))
}

const extent = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY) -
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)

/** At the start. A step at the top is shown with what follows it. */
export function showFirst(flow: Flow, nodes: readonly PlacedNode[], frame: Frame, wanted: string | undefined): void {
  if (fittingZoom(nodes, frame) >= READABLE) return void flow.fitView(FIT)
  const node = nodes.find(({ id }) => id === wanted) ?? nodes[0]
  if (!node) return
  const down = wanted === undefined ? frame.height / CLOSE / 2 - node.height : 0
  void flow.setCenter(node.x + node.width / 2, node.y + node.height / 2 + down, { zoom: CLOSE })
}

/** Moves only if the step is not seen whole. */
export function bringIntoView(flow: Flow, node: PlacedNode, frame: Frame): void {
  const { x, y, zoom } = flow.getViewport()
  const left = node.x * zoom + x
  const top = node.y * zoom + y
  const isSeen =
    left >= 0 && top >= 0 && left + node.width * zoom <= frame.width && top + node.height * zoom <= frame.height
  if (isSeen && zoom >= READABLE / 2) return
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200
  const to = { zoom: Math.max(zoom, READABLE), duration }
  void flow.setCenter(node.x + node.width / 2, node.y + node.height / 2, to)
}
