// What is accepted in a definition and may surprise its author: told with the upload, never a reason to refuse it.
import type { Definition } from "./definition.ts"
import { type Edge, type Graph, readGraph } from "./graph.ts"

/** More would be a page that is not read, and headers have a limit. */
const MOST = 20

export function definitionWarnings({ steps, execution }: Definition): readonly string[] {
  // A list is run by a worker from end to end: it has no paths beside it.
  if (execution === "steplist") return []
  return endedFromBeside(readGraph(steps, "$.steps", { inOrder: false })).slice(0, MOST)
}

/** An END completes the instance, so a path that was meant to run beside a step stops that step when it reaches one. */
function endedFromBeside(graph: Graph): string[] {
  return [...graph.nodes.values()].flatMap((node) =>
    node.edges.flatMap((edge) => {
      const end = edge.kind === "beside" ? firstEnd(graph, edge) : undefined
      return end === undefined ? [] : [besideWarning(edge.path, node.id, end)]
    }),
  )
}

const besideWarning = (path: string, stepId: string, end: string): string =>
  `${path}: the path of the non-interrupting timer of ${stepId} reaches the END ${end}, which completes the instance and ` +
  "closes what is still open as SKIPPED; to end this path alone, let its last task have no nextStep"

/** Of the path itself: a timer beside one of its steps is told for itself. */
function firstEnd({ nodes }: Graph, { to }: Edge): string | undefined {
  const reached = new Set([to])
  // A set can grow while it is walked: new members are visited too.
  for (const id of reached) {
    const { type, edges } = nodes.get(id)!
    if (type === "END") return id
    for (const edge of edges) if (edge.kind !== "beside") reached.add(edge.to)
  }
  return undefined
}
