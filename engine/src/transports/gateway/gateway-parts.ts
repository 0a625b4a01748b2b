// What the gateway is given by the server that it is mounted on.
// What the routes of the gateway need of the server around them.
import type { FastifyReply, FastifyRequest } from "fastify"
import type { ForwardingOptions } from "../calls/forwarding-options.ts"
import type { RestOptions } from "../calls/options.ts"
import type { Route } from "../calls/route.ts"
import type { Refuse } from "../rest/plumbing/send.ts"

/** The way in of every route. */
export type Enter = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void

export interface GatewayParts extends ForwardingOptions {
  readonly options: RestOptions
  readonly refuse: Refuse
  /** Writes the line of a request that has ended, for those whose answer was never finished. */
  readonly ended: (request: FastifyRequest, reply: FastifyReply) => void
  readonly enterBy: (route: Route) => Enter
}
