// A request as the guard sees it.
import type { RouteClass } from "./route-class.ts"

/** At most this many calls in any interval of this length. */
export interface Limit {
  readonly requests: number
  readonly windowMs: number
}

/** What is known before it is known who calls. */
export interface Visit {
  readonly routeClass: RouteClass
  /** The client's address behind the trusted proxies, as `clientAddress` gives it: an IPv4 address, or the /64 of an IPv6 one. */
  readonly address: string
  readonly agent?: string | undefined
  /** The pattern of the route, `/v1/instances/{instanceId}`: never a path with ids in it. */
  readonly path: string
  /** For logs and reports. Callers may choose the id and send the same one again, so nothing may be identified by it. */
  readonly requestId: string
  /** Administrators see and lift blocks by this route: the blocks of operators do not count on it, or one who is blocked could not end it. */
  readonly liftsBlocks?: boolean | undefined
}

/** A visit after authentication. */
export interface KnownVisit extends Visit {
  /** Who calls, by a typed name: `user:<id>`, `key:<id>`, `network:<address>`. Undefined for a caller without a credential. */
  readonly client: string | undefined
  /** The visit as it was asked about before, where it was: both are one request. */
  readonly before?: Visit | undefined
  /** Set on the caller's key; counts in place of the limit of the route's class. */
  readonly limit?: Limit | undefined
}

/** A credential that was refused. */
export interface FailedCredential {
  /** The user name that was tried, where there is one. */
  readonly user?: string | undefined
  /**
   * A digest of what was sent, where a wrong credential may be sent again and again by a program that was set up wrongly: the same
   * one counts once in a window. Undefined for a password: each attempt counts.
   */
  readonly digest?: string | undefined
}
