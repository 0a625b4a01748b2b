// Any operation of the contract by its id, in the words of the wire: nothing is renamed on the way.
import type { Call } from "./caller.ts"
import { ROUTES } from "./generated/routes.ts"
import type { Operations } from "./generated/wire.ts"
import { at, type QueryValue } from "./paths.ts"
import type { ChangeOptions, Wire } from "./wire.ts"

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

/** What is asked may be left out where nothing of it is needed. */
export type AskedArguments<Id extends OperationId> =
  object extends Asked<Id> ? [asked?: Asked<Id>, options?: ChangeOptions] : [asked: Asked<Id>, options?: ChangeOptions]

interface Given {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly body?: object
}

export function callOperation<Id extends OperationId>(
  wire: Wire,
  operation: Id,
  ...[asked, options]: AskedArguments<Id>
): Promise<Answer<Id>> {
  const { path = {}, query = {}, body }: Given = asked ?? {}
  const [method, template] = ROUTES[operation].split(" ") as [Call["method"], string]
  const filled = at.fill(template, path)
  return method === "GET"
    ? wire.get(filled, query, options)
    : wire.change(method, at.query(filled, query), body, options)
}
