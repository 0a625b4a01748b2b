// What must hold between the steps: references resolve, every step can be reached, a token can end.
import { isObject } from "../../support/json.ts"
import { checkForks } from "./check-forks.ts"
import type { Report } from "./checks.ts"
import { closestName } from "./closest-name.ts"
import { type Edge, type Graph, reachable, readGraph } from "./graph.ts"
import { child, shortened } from "./json-path.ts"

// Guessing at spelling costs a comparison with every id; the first misses are enough to show the pattern.
const GUESSES = 20

export function checkStructure(steps: readonly unknown[], path: string, inOrder: boolean, report: Report): void {
  checkIds(steps, path, report)
  const graph = readGraph(steps, path, { inOrder })
  checkReferences(graph, report)
  checkJoinSteps(graph, report)
  checkReachability(graph, path, report)
  checkForks(graph, path, report)
}

function checkIds(steps: readonly unknown[], path: string, report: Report): void {
  const seen = new Set<unknown>()
  for (const [index, step] of steps.entries()) {
    const id = isObject(step) ? step.id : undefined
    if (typeof id !== "string") continue
    if (seen.has(id))
      report(child(child(path, index), "id"), `another step has the id \`${shortened(id)}\``, "rename one")
    seen.add(id)
  }
}

function checkReferences({ nodes }: Graph, report: Report): void {
  const edges = [...nodes.values()].flatMap((node) => node.edges)
  const broken = edges.filter(({ to }) => !nodes.has(to))
  for (const [index, { to, path }] of broken.entries()) {
    const meant = index < GUESSES ? closestName(to, nodes.keys()) : undefined
    const hint = meant === undefined ? "add the step, or correct the reference" : `did you mean \`${meant}\`?`
    report(path, `there is no step \`${shortened(to)}\``, hint)
  }
}

function checkJoinSteps({ nodes }: Graph, report: Report): void {
  for (const { edges } of nodes.values()) {
    for (const { kind, to, path } of edges) {
      const type = nodes.get(to)?.type
      if (kind !== "join" || type === undefined || type === "JOIN_GATEWAY") continue
      report(path, `\`${to}\` is a ${type}, not a JOIN_GATEWAY`, "a fork's branches meet in a JOIN_GATEWAY")
    }
    checkBranches(edges, report)
  }
}

function checkBranches(edges: readonly Edge[], report: Report): void {
  const seen = new Set<string>()
  for (const { kind, to, path } of edges) {
    if (kind !== "branch") continue
    if (seen.has(to))
      report(path, `the branch \`${shortened(to)}\` is listed twice`, "give each branch a step of its own")
    seen.add(to)
  }
}

function checkReachability(graph: Graph, path: string, report: Report): void {
  if (graph.entry === undefined) return
  const reached = reachable(graph, graph.entry.id)
  // A reference to a missing step may be meant for any of them. It has a violation of its own; faults that follow from it are not reported.
  if ([...reached].some((id) => graph.nodes.get(id)?.edges.some(({ to }) => !graph.nodes.has(to)))) return
  for (const [id, node] of graph.nodes) {
    if (reached.has(id)) continue
    report(
      node.path,
      `step \`${shortened(id)}\` cannot be reached from the first step`,
      "lead a step to it, or remove it",
    )
  }
  if ([...reached].some((id) => graph.nodes.get(id)?.ends)) return
  report(path, "no END can be reached", "lead a path to an END, or to a task without nextStep")
}
