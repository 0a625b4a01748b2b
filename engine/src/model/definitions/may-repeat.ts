// Whether one instance can enter the same step twice. Where it cannot, entries need not be counted.
import type { Graph } from "./graph.ts"

/** Errs on the side of yes: through a loop, or through two tokens that can come by the same step. */
export function mayRepeat(graph: Graph): boolean {
  return hasLoop(graph) || hasPathBeside(graph) || (hasSeveralTokens(graph) && hasMeetingPoint(graph))
}

/** A manual retry enters the guarded step anew, and its timer starts the path once more. */
function hasPathBeside({ nodes }: Graph): boolean {
  return [...nodes.values()].some(({ edges }) => edges.some(({ kind }) => kind === "beside"))
}

function hasSeveralTokens({ nodes }: Graph): boolean {
  return [...nodes.values()].some(({ edges }) => edges.some(({ kind }) => kind === "branch" || kind === "beside"))
}

/** A step other than a join that two edges lead to; a join lets one token through per fork. */
function hasMeetingPoint({ nodes }: Graph): boolean {
  const reached = new Set<string>()
  for (const { edges } of nodes.values()) {
    for (const { kind, to } of edges) {
      if (kind !== "join" && nodes.get(to)?.type === "JOIN_GATEWAY") continue
      if (reached.has(to)) return true
      reached.add(to)
    }
  }
  return false
}

/** Takes away steps that nothing leads to, again and again; what is left is in or behind a loop. */
function hasLoop({ nodes }: Graph): boolean {
  const incoming = new Map([...nodes.keys()].map((id) => [id, 0]))
  const targets = [...nodes.values()].flatMap(({ edges }) => edges.map(({ to }) => to))
  for (const to of targets) incoming.set(to, incoming.get(to)! + 1)
  const free = [...nodes.keys()].filter((id) => incoming.get(id) === 0)
  let taken = 0
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    taken += 1
    for (const { to } of nodes.get(id)!.edges) if (release(incoming, to)) free.push(to)
  }
  return taken < nodes.size
}

function release(incoming: Map<string, number>, id: string): boolean {
  const left = incoming.get(id)! - 1
  incoming.set(id, left)
  return left === 0
}
