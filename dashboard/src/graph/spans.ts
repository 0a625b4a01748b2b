// How far edges reach: an edge over many rows would cost the layout a point in every row it passes, so it is drawn around instead.
import { groupBy } from "../kit/group-by.ts"
import type { GraphEdge } from "./edges.ts"

/** Rows an edge may pass through the drawing; a definition where every step leads to the end has hundreds that are longer. */
const NEAR = 6
/** In a large graph fewer: the time of the layout grows with these points more than with the steps. */
const NEAR_IN_LARGE = 4
const LARGE = 150

export function splitBySpan(ids: readonly string[], edges: readonly GraphEdge[]) {
  const rows = rowsOf(ids, edges)
  const limit = ids.length > LARGE ? NEAR_IN_LARGE : NEAR
  const isNear = ({ from, to }: GraphEdge) => Math.abs((rows.get(to) ?? 0) - (rows.get(from) ?? 0)) <= limit
  return { near: edges.filter(isNear), far: edges.filter((edge) => !isNear(edge)) }
}

/** The longest way from the entry to each step, loops left out. */
export function rowsOf(ids: readonly string[], edges: readonly GraphEdge[]): ReadonlyMap<string, number> {
  const outgoing = groupBy(edges, ({ from }) => from)
  const forward: GraphEdge[] = []
  const state = new Map<string, "open" | "done">()
  const order: string[] = []
  const visit = (id: string) => {
    state.set(id, "open")
    for (const edge of outgoing.get(id) ?? []) {
      if (state.get(edge.to) !== "open") forward.push(edge)
      if (!state.has(edge.to)) visit(edge.to)
    }
    state.set(id, "done")
    order.push(id)
  }
  for (const id of ids) if (!state.has(id)) visit(id)
  const rows = new Map(ids.map((id) => [id, 0]))
  const ahead = groupBy(forward, ({ from }) => from)
  for (const id of order.reverse())
    for (const { to } of ahead.get(id) ?? []) rows.set(to, Math.max(rows.get(to) ?? 0, (rows.get(id) ?? 0) + 1))
  return rows
}
