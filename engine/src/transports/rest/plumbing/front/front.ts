// The front: serves the hot routes straight on Node's HTTP server, by the same steps that Fastify takes for all routes. What it leaves out is
// Fastify's own part of a request: its router, its hooks, its reader of bodies and its reply.
import type { IncomingMessage, ServerResponse } from "node:http"
import { parseBody } from "../body.ts"
import type { Answering, Asked, Step } from "../exchange.ts"
import type { Refuse } from "../send.ts"
import { FrontReply, FrontRequest } from "./front-exchange.ts"
import type { Found, HotRoutes } from "./hot-routes.ts"
import { lengthOf, readWhole } from "./read-whole.ts"

export interface Served {
  readonly enter: Step
  readonly run: (request: Asked, reply: Answering) => void
}

interface Parts {
  readonly routes: HotRoutes<Served>
  readonly door: Step
  readonly refuse: Refuse
  readonly ended: (request: Asked, reply: Answering) => void
  readonly newId: (raw: IncomingMessage) => string
  readonly maxBody: number
}

/** False where the request is for another route, or unusual in its form: Fastify takes it then. Nothing has been read or said. */
export type Front = (raw: IncomingMessage, response: ServerResponse) => boolean

export function frontOf({ routes, door, refuse, ended, newId, maxBody }: Parts): Front {
  function take({ mounted: { enter, run } }: Found<Served>, request: FrontRequest, reply: FrontReply): void {
    const parsed = (error: unknown, body?: unknown) => {
      request.body = body as FrontRequest["body"]
      if (error === null) return run(request, reply)
      // As Fastify does it after a body that is no good.
      reply.header("connection", "close")
      refuse(request, reply, error)
    }
    const read = () => readWhole(request.raw, (bytes) => parseBody(request, bytes, parsed))
    door(request, reply, () => enter(request, reply, read))
  }

  return (raw, response) => {
    const found = raw.method === "POST" ? routes.find(raw.url as string) : undefined
    const length = found ? lengthOf(raw) : 0
    if (!found || length === 0 || length > maxBody) return false
    const request = new FrontRequest(raw, newId(raw), found)
    const reply = new FrontReply(response)
    let hasEnded = false
    const end = () => {
      if (!hasEnded) ended(request, reply)
      hasEnded = true
    }
    response.on("finish", end).on("error", end)
    take(found, request, reply)
    return true
  }
}
