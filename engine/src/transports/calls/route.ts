// What a route is: a method, a path, the permission it needs, and decode → one operation → encode.
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import type { RouteClass, Visit } from "@millrace/guard"
import type { Door } from "../../model/flow/doors.ts"
import type { Reach } from "../../model/people/reach.ts"
import type { SCOPES } from "../../model/people/scopes.ts"
import type { Kernel } from "../../operations/kernel/kernel.ts"
import type { Principal } from "../../operations/people/api-keys.ts"
import type { JsonValue } from "../../support/json.ts"
import type { Weigh } from "./answer-size.ts"

/** A scope of a key; or a call that a caller with any scope of the engine, any known caller, or truly anyone may make. */
export type Permission = (typeof SCOPES)[number] | "any-scope" | "any-key" | "anyone"

/** A request as a route sees it: admitted, authorised and with its body parsed. */
export interface Call {
  readonly kernel: Kernel
  /** The wire by which the call came. */
  readonly door: Extract<Door, "rest" | "grpc">
  readonly method: string
  /** The path as sent, without the query. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: JsonValue | undefined
  /** Bytes of the body. */
  readonly size: number
  readonly idempotencyKey: string | undefined
  readonly headers: IncomingHttpHeaders
  /** The address of the connection, or of the caller behind a proxy that the operator has named. */
  readonly address?: string | undefined
  /** What the guard knows of the caller. Undefined where there is no guard. */
  readonly visit?: Visit | undefined
  /** By which log lines of this request are found. */
  readonly requestId: string
  readonly principal: Principal
  /** How far the caller's scopes go, for what stands behind the object of the route. */
  readonly reach: Reach
  /** Where the call stands in a trace: carried to the workers of what it starts. */
  readonly trace: string | undefined
  /** What the caller should know about a request that is served all the same: told in a header of the answer. */
  readonly warnings: string[]
  /** Puts a header on the answer, where the wire can still do so. */
  readonly tell?: (name: string, value: string) => void
  /** Aborts when the client goes away. */
  readonly gone: () => AbortSignal
  /** What a part of the answer takes on the wire that the call came by. */
  readonly weigh: Weigh
  /** Whether its client refuses an answer for its length. */
  readonly hasCap: boolean
}

export interface Answer {
  readonly status: number
  /** What the body says, where it is JSON of one value. */
  readonly value?: object
  /** Ready to send, or a stream that is sent as it comes; undefined for an answer without a body. */
  readonly body?: string | Buffer | Readable
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** JSON unless it is said otherwise. */
  readonly contentType?: string
  /** An earlier request with the same key got this answer first. */
  readonly replayed?: boolean
}

export interface Route {
  /** `ANY` is what the gateway forwards: its upstream knows which methods it takes. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "ANY"
  /** The path as the contract writes it, `/v1/instances/{instanceId}`. Logs and metrics use it too. */
  readonly path: string
  /** Not optional: a route without a permission does not compile. */
  readonly permission: Permission
  /** By which the guard knows its limits; told by the permission where it is left out. */
  readonly routeClass?: RouteClass
  /** Administrators see and lift the blocks of operators by it: those blocks do not count on it. */
  readonly liftsBlocks?: boolean
  readonly handle: (call: Call) => Answer | Promise<Answer>
  /** Called so often that only refusals are worth a log line. */
  readonly quiet?: boolean
  /** The body is judged like any other and never parsed: what the route gets is its JSON text. */
  readonly bodyAsText?: boolean
  /** The body is a list of things that are each judged as a request of their own, this many levels within it. */
  readonly bodyOuterLevels?: number
  /** How many keys the body may have in all, where it is a list of many things. */
  readonly bodyKeys?: number
  /** May wait for work: the handler's deadline starts after the wait. */
  readonly waits?: boolean
  /** Goes on for as long as the client listens: its connection may be silent. */
  readonly streams?: boolean
  /** On every answer of it, refusals included. */
  readonly headers?: Readonly<Record<string, string>>
  /** The last hole of the path takes all that follows, slashes included, or nothing. */
  readonly openEnded?: boolean
}

/** The longest wait of a poll. */
export const MAX_WAIT_MS = 30_000

export const LOCAL: Principal = { id: "local", name: "local", scopes: ["admin"] }

/** The name in the audit trail: the key if there is one, else the worker, else `local`. */
export const actorOf = ({ principal }: Call, workerId?: string): string =>
  principal === LOCAL ? (workerId ?? LOCAL.name) : principal.name
