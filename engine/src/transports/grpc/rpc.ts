// What a unary RPC is: its message as the fields that a route reads, and the route's answer as its message.
import type { WorkflowEngineService } from "@millrace/sdk/proto"
import type { JsonObject } from "../../support/json.ts"
import type { Route } from "../calls/route.ts"
import type { Method } from "./read-message.ts"

/** A message as the request of a route. */
export interface Asked {
  /** Where it is another one than the RPC usually asks; of the same permission. */
  readonly route?: Route
  /** What stands in the path. All of it is required, whichever names the message has for it. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: JsonObject
  /** Where the message has a field of its own for it. */
  readonly idempotencyKey?: string | undefined
  /** What may surprise in the message, if it is accepted. */
  readonly warnings?: () => readonly string[]
}

/** What comes with the body of an answer. */
export interface Said {
  readonly replayed: boolean
  /** Warnings about the message itself. */
  readonly warnings: readonly string[]
  /** Tells the caller something more about the answer. */
  readonly warn: (text: string) => void
}

export interface Rpc<Request, Response> {
  readonly route: Route
  readonly ask: (message: Request) => Asked
  /** `said` is the body of the answer, parsed; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: each RPC names the shape of the wire that its route answers in.
  readonly say: (said: any, more: Said) => Response
}

type Service = typeof WorkflowEngineService
type Unary<Name extends keyof Service> =
  Service[Name] extends Method<infer Request, infer Response> ? Rpc<Request, Response> : never

/** Some of the service's RPCs by their names in the stubs. */
export type Rpcs<Names extends keyof Service> = { readonly [Name in Names]: Unary<Name> }

/** The route that the contract knows by method and path. */
export function routeNamed(routes: readonly Route[], method: Route["method"], path: string): Route {
  const route = routes.find((candidate) => candidate.method === method && candidate.path === path)
  if (!route) throw new Error(`there is no route ${method} ${path}`)
  return route
}

type Given<T> = { -readonly [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Without what is not given: proto3 cannot say otherwise than by an empty string, 0, false or an empty list. */
export function given<T extends object>(fields: T): Given<T> {
  const found: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) if (isGiven(value)) found[name] = value
  return found as Given<T>
}

const isGiven = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== "" &&
  value !== 0 &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0)
