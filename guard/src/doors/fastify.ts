// The guard in front of a Fastify server: one hook before anything else looks at the request.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { Guard } from "../guard.ts"
import type { RouteClass } from "../route-class.ts"
import { clientAddress, type Proxies } from "../rules/client-address.ts"
import { hasTooManyHeaders } from "../rules/header-lines.ts"
import { networkList } from "../rules/network-list.ts"
import type { Verdict } from "../verdict.ts"
import type { KnownVisit, Limit } from "../visit.ts"
import { holdOrRefuse, type Refusal, refusalOf, retryAfterOf } from "./refusal.ts"

export interface Caller {
  readonly routeClass: RouteClass
  /** `user:<id>`, `key:<id>`; undefined for a caller without a credential. */
  readonly client?: string | undefined
  readonly limit?: Limit | undefined
}

export interface GuardPluginOptions {
  readonly guard: Guard
  /** Who calls and what for. Undefined where the answer has been sent already, as for a bad credential. */
  readonly identify: (request: FastifyRequest, reply: FastifyReply) => Caller | undefined | Promise<Caller | undefined>
  /** Without them the address is that of the socket. */
  readonly proxies?: Proxies
}

/** A refusal, or what is wrong with the request itself. */
type Told = Omit<Refusal, "status" | "code" | "retryAfterSeconds"> & {
  readonly status: number
  readonly code: string
  readonly retryAfterSeconds?: number | undefined
}

const TOO_MANY_HEADERS: Told = {
  status: 400,
  code: "bad-request",
  message: "The request has too many lines of headers.",
}
const NO_PROXIES: Proxies = { isTrusted: networkList([]) }

export async function guardPlugin(fastify: FastifyInstance, options: GuardPluginOptions): Promise<void> {
  fastify.addHook("onRequest", async (request, reply) => {
    if (hasTooManyHeaders(request.raw.rawHeaders)) return refuse(request, reply, TOO_MANY_HEADERS)
    const caller = await options.identify(request, reply)
    if (caller === undefined) return reply
    const verdict = await options.guard.judge(visitOf(request, caller, options.proxies ?? NO_PROXIES))
    const refusal = await refusalFor(options.guard, verdict, reply)
    if (refusal) return refuse(request, reply, refusal)
    if (verdict.state === "allowed" && verdict.remaining !== undefined)
      reply.header("x-ratelimit-remaining", verdict.remaining)
    if (verdict.state === "throttled") reply.header("retry-after", retryAfterOf(verdict))
  })
}

// Fastify gives a plugin a scope of its own; the hook is for the routes beside it.
Object.assign(guardPlugin, { [Symbol.for("skip-override")]: true })

export function visitOf(request: FastifyRequest, caller: Caller, proxies: Proxies): KnownVisit {
  const { headers, socket } = request.raw
  const arrival = { peer: socket.remoteAddress, forwardedFor: headers["x-forwarded-for"], forwarded: headers.forwarded }
  return {
    routeClass: caller.routeClass,
    client: caller.client,
    limit: caller.limit,
    address: clientAddress(arrival, proxies),
    agent: headers["user-agent"],
    path: request.routeOptions.url ?? "",
    requestId: request.id,
  }
}

async function refusalFor(guard: Guard, verdict: Verdict, reply: FastifyReply): Promise<Refusal | undefined> {
  if (verdict.state !== "throttled") return refusalOf(verdict)
  const gone = new AbortController()
  const leave = () => gone.abort()
  reply.raw.once("close", leave)
  try {
    return await holdOrRefuse(guard, verdict, gone.signal)
  } finally {
    reply.raw.off("close", leave)
  }
}

function refuse(request: FastifyRequest, reply: FastifyReply, refusal: Told): FastifyReply {
  if (refusal.retryAfterSeconds !== undefined) reply.header("retry-after", refusal.retryAfterSeconds)
  return reply.code(refusal.status).send({ error: refusal.code, message: refusal.message, requestId: request.id })
}
