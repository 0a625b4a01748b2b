// Runs of steps that follow each other without a turn. In a large graph each is laid out as one tall box, which takes a tenth of the time.
import { groupBy } from "../kit/group-by.ts"
import type { GraphEdge } from "./edges.ts"

export interface Chain {
  /** The id of the chain's first step. */
  readonly id: string
  readonly steps: readonly string[]
  /** Between its steps, one less than there are steps. */
  readonly links: readonly GraphEdge[]
}

export interface Chained {
  readonly chains: readonly Chain[]
  /** Edges between chains; their ends are still steps. */
  readonly edges: readonly GraphEdge[]
  readonly chainOf: ReadonlyMap<string, Chain>
}

export function chainsOf(ids: readonly string[], edges: readonly GraphEdge[]): Chained {
  const outgoing = groupBy(edges, ({ from }) => from)
  const incoming = groupBy(edges, ({ to }) => to)
  const linkFrom = (id: string): GraphEdge | undefined => {
    const [link, other] = outgoing.get(id) ?? []
    return link && !other && link.to !== id && incoming.get(link.to)?.length === 1 ? link : undefined
  }
  const isInside = (id: string): boolean => {
    const [edge] = incoming.get(id) ?? []
    return edge !== undefined && linkFrom(edge.from) === edge
  }
  const seen = new Set<string>()
  const follow = (id: string): Chain => {
    const steps: string[] = []
    const links: GraphEdge[] = []
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); ) {
      seen.add(at)
      steps.push(at)
      const link = linkFrom(at)
      if (link && !seen.has(link.to)) links.push(link)
      at = link?.to
    }
    return { id, steps, links }
  }
  // Steps inside a chain do not begin one, unless they form a circle.
  const begin = ids.filter((id) => !isInside(id)).map(follow)
  const chains = [...begin, ...ids.filter((id) => !seen.has(id)).flatMap((id) => (seen.has(id) ? [] : [follow(id)]))]
  const inner = new Set(chains.flatMap(({ links }) => links))
  return {
    chains,
    edges: edges.filter((edge) => !inner.has(edge)),
    chainOf: new Map(chains.flatMap((chain) => chain.steps.map((id) => [id, chain] as const))),
  }
}

/** Every step its own chain: for a graph that is small enough to be laid out as it is. */
export const unchained = (ids: readonly string[], edges: readonly GraphEdge[]): Chained => {
  const chains = ids.map((id) => ({ id, steps: [id], links: [] }))
  return { chains, edges, chainOf: new Map(chains.map((chain) => [chain.id, chain])) }
}
