// What is accepted in a definition and may surprise its author: told with the upload, never a reason to refuse it.
import type { JsonValue } from "../../support/json.ts"
import type { Definition } from "./definition.ts"
import { compileTemplate } from "./expressions/template.ts"
import { type Edge, type Graph, readGraph } from "./graph.ts"
import { child } from "./json-path.ts"

/** More would be a page that is not read, and headers have a limit. */
const MOST = 20

export function definitionWarnings(definition: Definition): readonly string[] {
  const { steps, execution } = definition
  // A list is run by a worker from end to end: it has no paths beside it.
  const beside = execution === "steplist" ? [] : endedFromBeside(readGraph(steps, "$.steps", { inOrder: false }))
  return [...idleNext(definition), ...unfilled(definition), ...beside].slice(0, MOST)
}

/** The definition that is started when an instance of this one completes. */
export const nextOf = ({ autoStartNextWorkflow, nextWorkflowId }: Definition): string | undefined =>
  autoStartNextWorkflow ? nextWorkflowId : undefined

/** `where` says among which definitions it was looked for. */
export const missingNextWarning = (next: string, where: string): string =>
  `$.nextWorkflowId: there is no definition ${next} ${where}; what completes meanwhile waits until there is one`

const idleNext = (definition: Definition): string[] =>
  definition.nextWorkflowId === undefined || nextOf(definition) !== undefined
    ? []
    : [
        `$.nextWorkflowId: ${definition.nextWorkflowId} is not started, for autoStartNextWorkflow is not true; ` +
          "set it, or leave nextWorkflowId out",
      ]

/** Text that looks as if it were filled in: a string is an expression as a whole, or it is taken as it is. */
const unfilled = ({ steps }: Definition): string[] =>
  steps.flatMap((step, at) =>
    step.type === "TRANSFORMATION"
      ? Object.entries(step.transformations)
          .filter(([, value]) => isUnfilled(value))
          .map(([name]) => unfilledWarning(child(`$.steps[${at}].transformations`, name)))
      : [],
  )

const MARK = /\$\{[^{}]*\}/

/** Within a list or a map every text is taken as it is. */
function isUnfilled(value: JsonValue, isInner = false): boolean {
  if (typeof value === "string") return MARK.test(value) && (isInner || compileTemplate(value).kind === "literal")
  return typeof value === "object" && value !== null && Object.values(value).some((inner) => isUnfilled(inner, true))
}

const unfilledWarning = (path: string): string =>
  `${path}: what is in \${ } here is not replaced, the variable gets this text as it is; ` +
  `an expression is the whole string, such as \${'loan of ' + name}`

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

/** The first END that this path reaches. A non-interrupting timer on one of its steps is skipped: it gets a warning of its own. */
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
