// The operations of the contract by their ids: what each takes and answers in the words of the wire, and where it is asked.

import { ROUTES } from "../generated/routes.ts"
import type { Operations } from "../generated/wire.ts"
import type { Call } from "./caller.ts"
import { at, type QueryValue } from "./paths.ts"

/** A repeated claim would take further jobs: `poll` and `exchange` of the client see to that. */
type Claims = "pollJobs" | "exchangeJobs"

/** Every operation that answers with JSON, or with nothing. */
export type OperationId = {
  [Id in keyof Operations]: Operations[Id]["answer"] extends string ? never : Exclude<Id, Claims>
}[keyof Operations]

type QueryOf<Operation> = Operation extends { readonly query: infer Query }
  ? object extends Query
    ? { readonly query?: Query }
    : { readonly query: Query }
  : unknown

/** The parts of the path, the query and the body that an operation takes. */
export type Asked<Id extends OperationId> = Omit<Operations[Id], "answer" | "query"> & QueryOf<Operations[Id]>
export type Answer<Id extends OperationId> = Operations[Id]["answer"]

interface Given {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: object
}

/** The request by which an operation is asked; what is `undefined` in the query is left out. */
export function routeOf(operation: keyof Operations, { path = {}, query = {}, body }: Given = {}) {
  const [method, template] = ROUTES[operation].split(" ") as [Call["method"], string]
  return { method, path: at.query(at.fill(template, path), query), body }
}
