// The operations of the contract by their ids: what each takes and answers in the words of the wire, and where it is asked.

import { ROUTES } from "../generated/routes.ts"
import type { Operations } from "../generated/wire.ts"
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
/** What an operation of the contract answers. */
export type Answer<Id extends OperationId> = Operations[Id]["answer"]

/** The same, of any operation. */
export interface Given {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: object
  readonly body?: object
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

export interface RestRequest {
  readonly method: Method
  readonly path: string
  readonly body: object | undefined
}

/** The request by which an operation is asked over REST; what is `undefined` in the query is left out. */
export function routeOf(operation: keyof Operations, { path = {}, query = {}, body }: Given = {}): RestRequest {
  const [method, template] = ROUTES[operation].split(" ") as [Method, string]
  return { method, path: at.query(at.fill(template, path), query as Readonly<Record<string, QueryValue>>), body }
}

export const methodOf = (operation: keyof Operations): Method => ROUTES[operation].split(" ", 1)[0] as Method
