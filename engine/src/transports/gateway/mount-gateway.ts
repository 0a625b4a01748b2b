// The routes that are forwarded: any method, any content type, the body left unread. Everything before that is as for every route.
import { METHODS } from "node:http"
import { GatewayRefusal, type Way } from "@millrace/guard/gateway"
import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Route } from "../calls/route.ts"
import { forwarderOf } from "./forward-call.ts"
import type { Enter, GatewayParts } from "./gateway-parts.ts"
import { acceptUpgrades } from "./upgrades.ts"

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route forwards to an upstream: the door does not require JSON. */
    isForwarded?: boolean
  }
  interface FastifyRequest {
    /** Where it is forwarded to, or why it is not. */
    way: Way | GatewayRefusal | null
  }
}

/** Where the gateway is mounted. */
export const MOUNT = "/gateway"

/** What logs, metrics and the guard call all that is forwarded: a path of an upstream may hold ids and secrets. */
export const FORWARDED: Route = {
  method: "ANY",
  path: `${MOUNT}/{path}`,
  permission: "gateway",
  routeClass: "gateway",
  openEnded: true,
  handle: () => {
    throw new Error("what is forwarded is answered by its upstream")
  },
}
const PUBLIC: Route = { ...FORWARDED, permission: "anyone" }

/** With CONNECT the caller would choose where to; TRACE shows what proxies have added. */
const FORWARDED_METHODS = METHODS.filter((method) => method !== "CONNECT" && method !== "TRACE")

export function mountGateway(app: FastifyInstance, parts: GatewayParts): void {
  const { gateway, enterBy } = parts
  app.decorateRequest("way", null)
  for (const method of FORWARDED_METHODS)
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  const [enter, enterPublic] = [enterBy(FORWARDED), enterBy(PUBLIC)]
  const onRequest: Enter = (request, reply, done) => {
    const way = wayOf(parts, request)
    request.way = way
    // One that is refused is judged like a private one: a stranger learns nothing from it, and the guard counts it.
    const isPublic = !(way instanceof GatewayRefusal) && routeOf(way) === PUBLIC
    ;(isPublic ? enterPublic : enter)(request, reply, done)
  }
  const upgrades = acceptUpgrades(app, MOUNT)
  const handler = forwarderOf(parts, { upgradeOf: (raw) => upgrades.get(raw), routeOf })
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Nothing is read here: the body goes to the upstream as it comes.
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
    for (const url of [MOUNT, `${MOUNT}/*`])
      scope.route({
        method: FORWARDED_METHODS,
        url,
        config: { isForwarded: true },
        exposeHeadRoute: false,
        onRequest,
        handler,
      })
  })
  // Before the server waits for what is under way: a WebSocket would never end by itself.
  app.addHook("preClose", (done) => {
    gateway.endStreams()
    done()
  })
}

const routeOf = ({ upstream }: Way): Route => (upstream.public ? PUBLIC : FORWARDED)

function wayOf({ gateway }: GatewayParts, { raw }: FastifyRequest): Way | GatewayRefusal {
  try {
    return gateway.route(raw)
  } catch (error) {
    if (error instanceof GatewayRefusal) return error
    throw error
  }
}
