// Which edges an instance has gone along, told from its history: a step is entered in the moment the one before it ends.
import { groupBy } from "../kit/group-by.ts"
import { type GraphEdge, isBoundary } from "./edges.ts"

/** What is needed of a step execution; in the order they began. */
export interface Visit {
  readonly stepId: string
  readonly status: string
  readonly startedAt: string
  readonly endedAt?: string
}

export function takenEdges(edges: readonly GraphEdge[], visits: readonly Visit[]): ReadonlySet<string> {
  const outgoing = groupBy(edges, ({ from }) => from)
  const byStart = groupBy(visits.keys(), (index) => visits[index]?.startedAt)
  const entries = groupBy(visits, ({ stepId }) => stepId)
  const taken = visits.flatMap((visit, index) => {
    const ways = outgoing.get(visit.stepId) ?? []
    const later = (visit.endedAt === undefined ? [] : (byStart.get(visit.endedAt) ?? [])).filter((at) => at > index)
    const followers = later.map((at) => visits[at]?.stepId ?? "")
    const entered = ({ to }: GraphEdge) => (entries.get(to) ?? []).map(({ startedAt }) => startedAt)
    return [
      ...onward(visit, ways, followers),
      ...byTimer(visit, ways, { followers, entered }),
      ...byError(visit, ways, followers),
    ]
  })
  return new Set(taken.map(({ id }) => id))
}

/** In a list each step is led to by the one before. */
export function takenInList(edges: readonly GraphEdge[], visits: readonly Visit[]): ReadonlySet<string> {
  const visited = new Set(visits.map(({ stepId }) => stepId))
  return new Set(edges.filter(({ to }) => visited.has(to)).map(({ id }) => id))
}

function onward(visit: Visit, ways: readonly GraphEdge[], followers: readonly string[]): readonly GraphEdge[] {
  if (visit.endedAt === undefined || visit.status === "SKIPPED") return []
  const plain = ways.filter((edge) => !isBoundary(edge))
  const forked = plain.filter(({ kind, to }) => kind === "branch" && followers.includes(to))
  if (forked.length > 0) return forked
  // If several steps began in that moment, the first is the one that this step led to. The others came after that one.
  const first = followers.find((stepId) => plain.some(({ to }) => to === stepId))
  if (first !== undefined) return plain.filter(({ to }) => to === first)
  // A join is entered when the last branch arrives: the others went there too, and wait.
  return plain.length === 1 && visit.status === "COMPLETED" ? plain : []
}

interface WhatFollowed {
  /** Steps that were entered in the moment it ended. */
  readonly followers: readonly string[]
  /** When the step that an edge leads to was entered. */
  readonly entered: (edge: GraphEdge) => readonly string[]
}

/** A timer that interrupts ends its step; any other leads away while the step is open. */
function byTimer(visit: Visit, ways: readonly GraphEdge[], { followers, entered }: WhatFollowed): readonly GraphEdge[] {
  const { status, startedAt, endedAt } = visit
  const isWithin = (at: string) => at > startedAt && (endedAt === undefined || at < endedAt)
  return ways.filter(
    (edge) =>
      edge.kind === "timer" &&
      (status === "SKIPPED" || status === "FAILED"
        ? followers.includes(edge.to) || entered(edge).some(isWithin)
        : entered(edge).some(isWithin)),
  )
}

/** The target was entered in the moment the step failed. */
const byError = ({ status }: Visit, ways: readonly GraphEdge[], followers: readonly string[]): readonly GraphEdge[] =>
  status === "FAILED" ? ways.filter(({ kind, to }) => kind === "error" && followers.includes(to)) : []
