// Lines that reach far go around the drawing: down its right side, one track for all that lead to the same step.
import { groupBy } from "../kit/group-by.ts"
import { roundedThrough } from "./curves.ts"
import type { GraphEdge } from "./edges.ts"
import { BETWEEN_ROWS, INSET, labelWidth } from "./measures.ts"
import type { PlacedEdge, PlacedNode } from "./placed.ts"

/** Space between the drawing and the first track, and between two of them. */
const GUTTER = 28
const TRACK = 14

export function aroundThe(
  nodes: readonly PlacedNode[],
  byId: ReadonlyMap<string, PlacedNode>,
  edges: readonly GraphEdge[],
): readonly PlacedEdge[] {
  const right = nodes.reduce((most, { x, width }) => Math.max(most, x + width), 0)
  const byTarget = groupBy(edges, ({ to }) => to)
  const tracks = tracksOf(
    [...byTarget].map(([to, edges]) => [to, reachOf([to, ...edges.map(({ from }) => from)], byId)]),
  )
  return edges.flatMap((edge) => {
    const from = byId.get(edge.from)
    const to = byId.get(edge.to)
    return from && to ? [detour(edge, [from, to], right + GUTTER + TRACK * (tracks.get(edge.to) ?? 0))] : []
  })
}

type Reach = readonly [top: number, bottom: number]

function reachOf(ids: readonly string[], byId: ReadonlyMap<string, PlacedNode>): Reach {
  const tops = ids.map((id) => byId.get(id)?.y ?? 0)
  return [tops.reduce((least, y) => Math.min(least, y)), tops.reduce((most, y) => Math.max(most, y))]
}

/** Lines that are not beside each other share a track. */
function tracksOf(reaches: readonly (readonly [target: string, reach: Reach])[]): ReadonlyMap<string, number> {
  const ends: number[] = []
  const sorted = [...reaches].sort(([, a], [, b]) => a[0] - b[0])
  return new Map(
    sorted.map(([target, [top, bottom]]) => {
      const free = ends.findIndex((end) => end < top)
      const track = free < 0 ? ends.length : free
      ends[track] = bottom
      return [target, track]
    }),
  )
}

/** Between two rows to the track, along it, and back between two rows: no step is in its way. */
function detour(edge: GraphEdge, [from, to]: readonly [PlacedNode, PlacedNode], track: number): PlacedEdge {
  const leave = { x: from.x + from.width - INSET, y: from.y + from.height }
  const arrive = { x: to.x + to.width - INSET, y: to.y }
  const below = leave.y + BETWEEN_ROWS / 3
  const above = arrive.y - BETWEEN_ROWS / 3
  const path = roundedThrough([
    leave,
    { x: leave.x, y: below },
    { x: track, y: below },
    { x: track, y: above },
    { x: arrive.x, y: above },
    arrive,
  ])
  const { label } = edge
  return {
    ...edge,
    path,
    ...(label === undefined ? {} : { labelAt: { x: leave.x + 16 + labelWidth(label) / 2, y: below } }),
  }
}
