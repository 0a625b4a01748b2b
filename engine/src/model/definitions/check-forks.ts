// Proves that every path inside a fork meets the fork's join: walks all states (step, stack of open forks) a token can be in.

import type { Report } from "./checks.ts"
import type { Edge, Graph, GraphNode } from "./graph.ts"
import { shortened } from "./json-path.ts"

/** An open fork, with those around it. Equal stacks are one object, so that a state can be compared cheaply. */
interface Scope {
  readonly number: number
  readonly fork: GraphNode
  readonly join: string
  readonly parent: Scope | undefined
}

interface State {
  readonly node: GraphNode
  readonly scope: Scope | undefined
}

const MAX_STATES = 20_000
const JOIN_HINT = "every path of every branch must lead to the join; only then may it end"

export function checkForks(graph: Graph, path: string, report: Report): void {
  if (graph.entry === undefined) return
  const walk = new Walk(graph, once(report))
  walk.start(graph.entry)
  if (!walk.finished()) {
    report(path, `forks nest in more than ${MAX_STATES} ways`, "split the definition and chain the parts")
  }
}

class Walk {
  readonly #graph: Graph
  readonly #report: Report
  readonly #pending: State[] = []
  readonly #seen = new Set<string>()
  readonly #scopes = new Map<string, Scope>()

  constructor(graph: Graph, report: Report) {
    this.#graph = graph
    this.#report = report
  }

  start(entry: GraphNode): void {
    if (entry.type !== "JOIN_GATEWAY") this.#visit(entry, undefined)
    else this.#report(entry.path, `the first step is the join \`${entry.id}\``, "start with the step before its fork")
  }

  /** False when the budget of states ran out. */
  finished(): boolean {
    for (let state = this.#pending.pop(); state !== undefined; state = this.#pending.pop()) {
      if (this.#seen.size > MAX_STATES) return false
      this.#leave(state)
    }
    return true
  }

  #visit(node: GraphNode, scope: Scope | undefined): void {
    const key = `${scope?.number ?? 0} ${node.id}`
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    this.#pending.push({ node, scope })
  }

  #leave({ node, scope }: State): void {
    if (node.ends && node.type !== "END" && scope) this.#missed(scope, node, "(end)", node.path)
    const inner = node.type === "PARALLEL_GATEWAY" ? this.#open(node, scope) : undefined
    for (const edge of node.edges) {
      if (edge.kind === "next" || edge.kind === "interrupting") this.#enter(node, edge, scope)
      // Such a path belongs to no fork: it may neither count as a branch nor be waited for.
      if (edge.kind === "beside") this.#enter(node, edge, undefined)
      if (edge.kind === "branch" && inner) this.#enter(node, edge, inner)
    }
  }

  /** Undefined when the fork has no proper join, which is reported elsewhere. */
  #open(fork: GraphNode, parent: Scope | undefined): Scope | undefined {
    const join = fork.edges.find(({ kind }) => kind === "join")?.to
    if (join === undefined || this.#graph.nodes.get(join)?.type !== "JOIN_GATEWAY") return undefined
    const key = `${parent?.number ?? 0} ${fork.id}`
    const scope = this.#scopes.get(key) ?? { number: this.#scopes.size + 1, fork, join, parent }
    this.#scopes.set(key, scope)
    return scope
  }

  #enter(from: GraphNode, edge: Edge, scope: Scope | undefined): void {
    const node = this.#graph.nodes.get(edge.to)
    if (node === undefined) return
    if (node.type === "JOIN_GATEWAY") this.#join(from, edge, node, scope)
    else if (node.type === "END" && scope) this.#missed(scope, from, node.id, edge.path)
    else if (isOpen(node, scope)) this.#reentered(from, edge)
    else this.#visit(node, scope)
  }

  #join(from: GraphNode, edge: Edge, join: GraphNode, scope: Scope | undefined): void {
    if (scope === undefined) this.#outside(from, edge)
    else if (scope.join !== join.id) this.#missed(scope, from, join.id, edge.path)
    else this.#visit(join, scope.parent)
  }

  #missed({ fork, join }: Scope, from: GraphNode, to: string, path: string): void {
    const names = `fork ${quoted(fork.id)} can miss its join ${quoted(join)}`
    this.#report(path, `a path inside ${names}: edge ${quoted(from.id)} → ${quoted(to)}`, JOIN_HINT)
  }

  #outside(from: GraphNode, edge: Edge): void {
    const message = `join ${quoted(edge.to)} is reached from outside its fork: edge ${quoted(from.id)} → ${quoted(edge.to)}`
    this.#report(
      edge.path,
      message,
      "only branches lead to a join; a non-interrupting boundary path belongs to no fork",
    )
  }

  #reentered(from: GraphNode, edge: Edge): void {
    const message = `fork ${quoted(edge.to)} is entered again from inside itself: edge ${quoted(from.id)} → ${quoted(edge.to)}`
    this.#report(edge.path, message, "loop back only after the join")
  }
}

const quoted = (id: string): string => (id === "(end)" ? id : `\`${shortened(id)}\``)

function isOpen(node: GraphNode, scope: Scope | undefined): boolean {
  for (let open = scope; open !== undefined; open = open.parent) if (open.fork === node) return true
  return false
}

/** An edge can be at fault in many states; it is reported once per message. */
function once(report: Report): Report {
  const reported = new Set<string>()
  return (path, message, hint) => {
    const key = `${path} ${message}`
    if (!reported.has(key)) report(path, message, hint)
    reported.add(key)
  }
}
