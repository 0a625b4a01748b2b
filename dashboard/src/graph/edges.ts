// Which step leads to which: the lines of a definition's graph, with what is written on them.
import type { Definition, Step } from "../api/definitions.ts"
import { groupBy } from "../kit/group-by.ts"
import { durationWords } from "./duration-words.ts"

export interface GraphEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly kind: "next" | "condition" | "branch" | "timer" | "error"
  readonly label?: string
}

/** Edges to steps that are not there are left out: a definition may be looked at before it is right. */
export function edgesOf({ steps, execution }: Pick<Definition, "steps" | "execution">): readonly GraphEdge[] {
  if (execution === "steplist") return chainOf(steps)
  const ids = new Set(steps.map(({ id }) => id))
  return steps
    .flatMap((step) => [...conditions(step), ...next(step), ...branches(step), ...boundary(step)])
    .filter(isIn(ids))
}

const isIn =
  (ids: ReadonlySet<string>) =>
  ({ to }: GraphEdge): boolean =>
    ids.has(to)

export const edgeId = (from: string, to: string): string => `${from} → ${to}`

/** The steps of a list run one after the other, whatever they name. */
const chainOf = (steps: readonly Step[]): readonly GraphEdge[] =>
  steps.slice(1).map(({ id: to }, index) => {
    const { id: from } = steps[index] as Step
    return { id: edgeId(from, to), from, to, kind: "next" }
  })

/** Several conditions that lead to one step are one edge. */
function conditions({ id: from, conditionalNextSteps = {} }: Step): readonly GraphEdge[] {
  const byTarget = groupBy(Object.entries(conditionalNextSteps), ([, to]) => to)
  return [...byTarget].map(([to, entries]) => ({
    id: edgeId(from, to),
    from,
    to,
    kind: "condition",
    label: entries.map(([expression]) => (expression === "true" ? "otherwise" : expression)).join(" or "),
  }))
}

function next({ id: from, nextStep: to, conditionalNextSteps = {} }: Step): readonly GraphEdge[] {
  const targets = Object.values(conditionalNextSteps)
  if (to === undefined || targets.includes(to)) return []
  const isRest = targets.length > 0
  return [
    { id: edgeId(from, to), from, to, kind: isRest ? "condition" : "next", ...(isRest ? { label: "otherwise" } : {}) },
  ]
}

const branches = ({ id: from, parallelNextSteps = [] }: Step): readonly GraphEdge[] =>
  parallelNextSteps.map((to) => ({ id: edgeId(from, to), from, to, kind: "branch" }))

const boundary = ({ id: from, boundaryEvents = [] }: Step): readonly GraphEdge[] =>
  boundaryEvents.map((event, index) => {
    const { targetStepId: to } = event
    if (event.type === "ERROR")
      return { id: `${edgeId(from, to)} by error`, from, to, kind: "error", label: "on error" }
    const { duration, interrupting } = event
    const label = `after ${durationWords(duration)}${interrupting ? ", instead" : ""}`
    return { id: `${edgeId(from, to)} by timer ${index}`, from, to, kind: "timer", label }
  })

/** Such an edge leaves the step by what happens at it, not by its end. */
export const isBoundary = ({ kind }: Pick<GraphEdge, "kind">): boolean => kind === "timer" || kind === "error"

/** Whether the path ends here: END, or a step that names no next one. */
export const isLast = (step: Step): boolean => [...conditions(step), ...next(step), ...branches(step)].length === 0
