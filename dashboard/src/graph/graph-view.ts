// Where the graph is looked at: all of it where that can be read, else the step that matters.
import { getViewportForBounds, type ReactFlowInstance } from "@xyflow/react"
import { LABEL_HEIGHT, labelWidth } from "./measures.ts"
import type { GraphLayout, PlacedEdge, PlacedNode } from "./placed.ts"
import type { StepNode } from "./step-node.tsx"

export type Flow = ReactFlowInstance<StepNode>

/** Below this the names cannot be read. */
const READABLE = 0.55
const CLOSE = 0.85
export const MIN_ZOOM = 0.01
export const MAX_ZOOM = 1.6

const PADDING = 0.06

export interface Frame {
  readonly width: number
  readonly height: number
}

type Box = Omit<PlacedNode, "id">

/** Around the steps and the words on the lines, which may reach further. */
export function boundsOf({ nodes, edges }: GraphLayout): Box {
  const boxes = [...nodes, ...edges.flatMap(labelBox)]
  const [left, right] = rangeOf(boxes.flatMap(({ x, width }) => [x, x + width]))
  const [top, bottom] = rangeOf(boxes.flatMap(({ y, height }) => [y, y + height]))
  return { x: left, y: top, width: right - left, height: bottom - top }
}

function labelBox({ label, labelAt }: PlacedEdge): readonly Box[] {
  if (label === undefined || !labelAt) return []
  const width = labelWidth(label)
  return [{ x: labelAt.x - width / 2, y: labelAt.y - LABEL_HEIGHT / 2, width, height: LABEL_HEIGHT }]
}

const rangeOf = (values: readonly number[]): readonly [number, number] => [
  values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
  values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
]

/** How much of its size the whole drawing would have. */
export function fittingZoom(layout: GraphLayout, frame: Frame): number {
  const { width, height } = boundsOf(layout)
  return Math.min(1, frame.width / Math.max(1, width), frame.height / Math.max(1, height))
}

export const showAll = (flow: Flow, layout: GraphLayout, { width, height }: Frame): void =>
  void flow.setViewport(getViewportForBounds(boundsOf(layout), width, height, MIN_ZOOM, 1, PADDING))

interface Sight {
  readonly layout: GraphLayout
  readonly frame: Frame
  /** The step that should be seen first. */
  readonly wanted: string | undefined
}

/** At the start. A step at the top is shown with what follows it. */
export function showFirst(flow: Flow, { layout, frame, wanted }: Sight): void {
  const { nodes } = layout
  if (fittingZoom(layout, frame) >= READABLE) return showAll(flow, layout, frame)
  const node = nodes.find(({ id }) => id === wanted) ?? nodes[0]
  if (node) void flow.setViewport(closeTo(node, layout, frame))
}

/** With the step in the middle, unless there would be nothing beside it: then the edge of the drawing is at that of the frame. */
export function closeTo(node: PlacedNode, layout: GraphLayout, frame: Frame) {
  const { x, y, width, height } = boundsOf(layout)
  return {
    x: shift({ middle: node.x + node.width / 2, from: x, to: x + width, room: frame.width }),
    y: shift({ middle: node.y + node.height / 2, from: y, to: y + height, room: frame.height }),
    zoom: CLOSE,
  }
}

interface Stretch {
  readonly middle: number
  readonly from: number
  readonly to: number
  readonly room: number
}

function shift({ middle, from, to, room }: Stretch): number {
  const margin = room * PADDING
  const least = room - margin - to * CLOSE
  const most = margin - from * CLOSE
  if (least > most) return (least + most) / 2
  return Math.min(most, Math.max(least, room / 2 - middle * CLOSE))
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
