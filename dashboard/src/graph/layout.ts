// Where every step and line of a definition is drawn. Pure: the same definition gives the same drawing.
import { Graph, layout as runDagre } from "@dagrejs/dagre"
import type { Definition } from "../api/definitions.ts"
import { type Chain, type Chained, chainsOf, unchained } from "./chains.ts"
import { curveThrough, type Point } from "./curves.ts"
import { aroundThe } from "./detours.ts"
import { edgesOf, type GraphEdge, isBoundary } from "./edges.ts"
import { BETWEEN_ROWS, INSET, LABEL_HEIGHT, labelWidth, NODE_WIDTH, nodeHeight } from "./measures.ts"
import type { GraphLayout, PlacedEdge, PlacedNode } from "./placed.ts"
import { splitBySpan } from "./spans.ts"

/** Above this, runs of steps are laid out as one. */
const LARGE = 100

export function layoutDefinition(definition: Pick<Definition, "steps" | "execution">, lines = 1): GraphLayout {
  const height = nodeHeight(lines)
  const ids = definition.steps.map(({ id }) => id)
  const { near, far } = splitBySpan(ids, edgesOf(definition))
  const isList = definition.execution === "steplist"
  const chained = isList || ids.length > LARGE ? chainsOf(ids, near) : unchained(ids, near)
  const graph = placeChains(chained, height)
  const byId = new Map(chained.chains.flatMap((chain) => nodesOf(graph, chain, height)).map((node) => [node.id, node]))
  const nodes = ids.map((id) => byId.get(id) as PlacedNode)
  const links = chained.chains.flatMap(({ links }) => links.map((link) => straight(link, byId)))
  const turns = chained.edges.map((edge) => through(edge, lineOf(graph, edge, chained), byId))
  return { nodes, edges: [...links, ...turns, ...aroundThe(nodes, byId, far)] }
}

const gapOf = (link: GraphEdge): number => BETWEEN_ROWS + (link.label === undefined ? 0 : LABEL_HEIGHT)

const heightOf = ({ steps, links }: Chain, height: number): number =>
  links.reduce((total, link) => total + gapOf(link), steps.length * height)

function placeChains({ chains, edges, chainOf }: Chained, height: number) {
  const graph = new Graph({ multigraph: true })
  // The thorough ranker takes twice as long and draws no better.
  graph.setGraph({ rankdir: "TB", nodesep: 28, edgesep: 18, ranksep: BETWEEN_ROWS, ranker: "tight-tree" })
  for (const chain of chains) graph.setNode(chain.id, { width: NODE_WIDTH, height: heightOf(chain, height) })
  for (const edge of edges) {
    const { id, label } = edge
    const box = label === undefined ? {} : { width: labelWidth(label), height: LABEL_HEIGHT, labelpos: "c" }
    graph.setEdge(...endsOf(edge, chainOf), { weight: isBoundary(edge) ? 1 : 3, ...box }, id)
  }
  runDagre(graph, { constraints: branchOrder(edges, chainOf) })
  return graph
}

/** Branches stand beside each other as they are written. */
const branchOrder = (edges: readonly GraphEdge[], chainOf: Chained["chainOf"]) =>
  edges.flatMap((edge, index) => {
    const next = edges[index + 1]
    const isBeside = edge.kind === "branch" && next?.kind === "branch" && next.from === edge.from
    return isBeside ? [{ left: endsOf(edge, chainOf)[1], right: endsOf(next, chainOf)[1] }] : []
  })

type Placed = ReturnType<typeof placeChains>

const endsOf = ({ from, to }: GraphEdge, chainOf: Chained["chainOf"]): [string, string] => [
  chainOf.get(from)?.id ?? from,
  chainOf.get(to)?.id ?? to,
]

function nodesOf(graph: Placed, chain: Chain, height: number): readonly PlacedNode[] {
  const { x, y } = graph.node(chain.id) as Point
  let top = y - heightOf(chain, height) / 2
  return chain.steps.map((id, index) => {
    const node = { id, x: x - NODE_WIDTH / 2, y: top, width: NODE_WIDTH, height }
    const link = chain.links[index]
    top += height + (link ? gapOf(link) : 0)
    return node
  })
}

function straight(link: GraphEdge, nodes: ReadonlyMap<string, PlacedNode>): PlacedEdge {
  const from = nodes.get(link.from) as PlacedNode
  const to = nodes.get(link.to) as PlacedNode
  const x = from.x + from.width / 2
  const points = [
    { x, y: from.y + from.height },
    { x, y: to.y },
  ]
  const labelAt = { x, y: (from.y + from.height + to.y) / 2 }
  return { ...link, path: curveThrough(points), ...(link.label === undefined ? {} : { labelAt }) }
}

/** Where the layout leads a line, and puts its label. */
interface Line extends Partial<Point> {
  readonly points: Point[]
  /** Back into the chain that it comes from. */
  readonly isLoop: boolean
}

function lineOf(graph: Placed, edge: GraphEdge, { chainOf }: Chained): Line {
  const [v, w] = endsOf(edge, chainOf)
  return { ...(graph.edge({ v, w, name: edge.id }) as Omit<Line, "isLoop">), isLoop: v === w }
}

function through(edge: GraphEdge, { points, x, y, isLoop }: Line, nodes: ReadonlyMap<string, PlacedNode>): PlacedEdge {
  // The layout puts a point between two rows, for a label: without one the line goes straight across.
  const inner = edge.label === undefined && points.length === 3 ? [] : points.slice(1, -1)
  const leave = anchor(nodes.get(edge.from), points[0], points[1])
  const arrive = anchor(nodes.get(edge.to), points.at(-1), points.at(-2))
  const path = curveThrough(isLoop ? points : [leave, ...inner, arrive])
  return {
    ...edge,
    path,
    ...(edge.label !== undefined && x !== undefined && y !== undefined ? { labelAt: { x, y } } : {}),
  }
}

const ORIGIN: Point = { x: 0, y: 0 }

/** Lines leave below and arrive above, never from the side. */
function anchor(node: PlacedNode | undefined, at = ORIGIN, towards = at): Point {
  if (!node) return at
  const x = Math.min(Math.max(at.x, node.x + INSET), node.x + node.width - INSET)
  return { x, y: towards.y > node.y + node.height / 2 ? node.y + node.height : node.y }
}
