// A definition's steps as a graph. It reads leniently, so that a document with faults still has all its other faults found.
import { isObject } from "../../support/json.ts"
import { isErrorEvent } from "./check-boundary-events.ts"
import { STEP_TYPES, type StepType } from "./definition.ts"
import { child } from "./json-path.ts"

/** How a token gets along an edge: `beside` starts a token of its own, `join` is only a promise of where the branches meet. */
export type EdgeKind = "next" | "branch" | "interrupting" | "beside" | "join"

export interface Edge {
  readonly kind: EdgeKind
  readonly to: string
  /** Where the reference is written. */
  readonly path: string
}

export interface GraphNode {
  readonly id: string
  readonly type: StepType | undefined
  readonly path: string
  readonly edges: readonly Edge[]
  /** A token can end here: an END, or a task without nextStep. */
  readonly ends: boolean
}

export interface Graph {
  readonly entry: GraphNode | undefined
  /** By id; of two steps with the same id, the first. */
  readonly nodes: ReadonlyMap<string, GraphNode>
}

type Raw = Readonly<Record<string, unknown>>

/** `inOrder` is for step lists: a task without nextStep goes on to the one written after it. */
export function readGraph(steps: readonly unknown[], path: string, { inOrder }: { inOrder: boolean }): Graph {
  const nodes = new Map<string, GraphNode>()
  for (const [index, step] of steps.entries()) {
    if (!isObject(step) || typeof step.id !== "string" || nodes.has(step.id)) continue
    const follower = inOrder ? steps[index + 1] : undefined
    nodes.set(step.id, readNode(step, step.id, child(path, index), isObject(follower) ? follower.id : undefined))
  }
  const first = steps[0]
  return { entry: isObject(first) ? nodes.get(String(first.id)) : undefined, nodes }
}

function readNode(step: Raw, id: string, path: string, follower: unknown): GraphNode {
  const type = STEP_TYPES.find((known) => known === step.type)
  const isOpenTask = (type === "SERVICE_TASK" || type === "USER_TASK") && !Object.hasOwn(step, "nextStep")
  const onward = isOpenTask ? edge("next", follower, path) : edge("next", step.nextStep, child(path, "nextStep"))
  const edges = [...onward, ...conditions(step, path), ...gateway(step, path), ...boundary(step, path)]
  return { id, type, path, edges, ends: type === "END" || (isOpenTask && onward.length === 0) }
}

function edge(kind: EdgeKind, to: unknown, path: string): Edge[] {
  return typeof to === "string" ? [{ kind, to, path }] : []
}

function conditions(step: Raw, path: string): Edge[] {
  const at = child(path, "conditionalNextSteps")
  const targets = isObject(step.conditionalNextSteps) ? step.conditionalNextSteps : {}
  return Object.entries(targets).flatMap(([condition, to]) => edge("next", to, child(at, condition)))
}

function gateway(step: Raw, path: string): Edge[] {
  const at = child(path, "parallelNextSteps")
  const branches: unknown[] = Array.isArray(step.parallelNextSteps) ? step.parallelNextSteps : []
  const edges = branches.flatMap((to, index) => edge("branch", to, child(at, index)))
  return [...edges, ...edge("join", step.joinStep, child(path, "joinStep"))]
}

function boundary(step: Raw, path: string): Edge[] {
  const at = child(path, "boundaryEvents")
  const events: unknown[] = Array.isArray(step.boundaryEvents) ? step.boundaryEvents : []
  return events.flatMap((event, index) => {
    if (!isObject(event)) return []
    const kind = event.interrupting === true || isErrorEvent(event) ? "interrupting" : "beside"
    return edge(kind, event.targetStepId, child(child(at, index), "targetStepId"))
  })
}

/** The step itself and everything that a token at it may come to. */
export function reachable({ nodes }: Graph, from: string): Set<string> {
  const reached = new Set([from])
  // A set can grow while it is walked: new members are visited too.
  for (const id of reached) {
    for (const { to } of nodes.get(id)!.edges) if (nodes.has(to)) reached.add(to)
  }
  return reached
}

/** Between a fork and its join, on any path that may be taken there. */
export function isInFork({ nodes }: Graph, stepId: string): boolean {
  return [...nodes.values()].some(({ edges }) => {
    const join = edges.find(({ kind }) => kind === "join")?.to
    const inside = new Set(edges.filter(({ kind }) => kind === "branch").map(({ to }) => to))
    for (const id of inside)
      for (const { kind, to } of nodes.get(id)!.edges) if (to !== join && kind !== "beside") inside.add(to)
    return inside.has(stepId)
  })
}
