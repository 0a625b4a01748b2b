// The HTTP server under a table of routes: Fastify with our own door, parser, errors and log.

import { setTimeout as sleep } from "node:timers/promises"
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import { databaseWatchOf } from "../../../operations/kernel/database-watch.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { feedOf } from "../../../operations/observability/overview-feed.ts"
import type { Principal } from "../../../operations/people/api-keys.ts"
import type { Span } from "../../../support/spans.ts"
import { Admission } from "../../calls/admission.ts"
import type { Visitor } from "../../calls/authorize.ts"
import { bodyTooLarge, maxBodyBytes } from "../../calls/body-limits.ts"
import type { RestOptions, RestTimeouts } from "../../calls/options.ts"
import { requestIdOf } from "../../calls/request-id.ts"
import type { Route } from "../../calls/route.ts"
import { FORWARDED, mountGateway } from "../../gateway/mount-gateway.ts"
import { accessLog } from "./access-log.ts"
import { AllowedMethods } from "./allowed-methods.ts"
import { answerBadRequest } from "./bad-request.ts"
import { parseBody } from "./body.ts"
import { discardBody } from "./discard-body.ts"
import { doorOf } from "./door.ts"
import { handlerOf } from "./handler.ts"
import { closeRequest } from "./request-span.ts"
import { type Refuse, refuserOf } from "./send.ts"

declare module "fastify" {
  interface FastifyRequest {
    /** Null until the door has let the request in. */
    matched: Route | null
    principal: Principal | null
    visitor: Visitor | null
    /** Where it stands in a trace, if it is in one. */
    trace: string | null
    span: Span | null
  }
}

export interface RestServer {
  /** Resolves with the URL, once connections are taken. */
  listen(port: number, host: string): Promise<string>
  /** Takes no new connections, lets requests finish, and cuts off what is not done in time. */
  close(): Promise<void>
}

/** Long enough for any id we know, percent-encoded characters included; beyond it is no route at all. */
const MAX_PARAM = 800
const HEADERS_MS = 10_000

export async function createHttpServer(
  kernel: Kernel,
  options: RestOptions,
  routes: readonly Route[],
): Promise<RestServer> {
  const admission = new Admission(options.allowedHosts, options.corsOrigins)
  const watch = databaseWatchOf(kernel)
  const refuse = refuserOf(options, watch)
  const log = accessLog(options, kernel.metrics)
  const app = createApp(kernel, options, (error, request, reply) => {
    refuse(request, reply, error)
    log(request, reply)
  })
  const allowed = new AllowedMethods(options.forwarding ? [...routes, FORWARDED] : routes)
  app.addHook("onRequest", doorOf({ admission, allowed, refuse, options }))
  const ended = (request: FastifyRequest, reply: FastifyReply): void => {
    log(request, reply)
    closeRequest(request, reply)
  }
  app.addHook("onResponse", (request, reply, done) => {
    ended(request, reply)
    done()
  })
  // Before it waits for what is under way: a stream would never end by itself.
  app.addHook("preClose", (done) => {
    feedOf(kernel).end()
    done()
  })
  app.setErrorHandler(errorHandlerOf(kernel, options, refuse))
  for (const route of routes) mount(app, route, handlerOf({ kernel, options, watch, refuse, route }))
  if (options.forwarding) {
    const enterBy = (route: Route) => handlerOf({ kernel, options, watch, refuse, route }).enter
    mountGateway(app, { ...options.forwarding, options, refuse, ended, enterBy })
  }
  await app.ready()
  return serverOf(app, admission, options)
}

const isTooLarge = (error: unknown): boolean => (error as { code?: unknown }).code === "FST_ERR_CTP_BODY_TOO_LARGE"

function errorHandlerOf({ settings }: Kernel, { timeouts }: RestOptions, refuse: Refuse): FrameworkErrors {
  return (error, request, reply) => {
    if (!isTooLarge(error)) return refuse(request, reply, error)
    discardBody(request.raw, () => refuse(request, reply, bodyTooLarge(settings)), timeouts.readMs)
  }
}

type FrameworkErrors = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

function createApp(kernel: Kernel, { timeouts, tls }: RestOptions, frameworkErrors: FrameworkErrors): FastifyInstance {
  const app = fastify({
    logger: false,
    requestIdHeader: false,
    genReqId: ({ headers }) => requestIdOf(kernel, headers["x-request-id"]),
    bodyLimit: maxBodyBytes(kernel.settings),
    routerOptions: { maxParamLength: MAX_PARAM },
    // What comes in on an open connection while the server closes is still served, with Connection: close.
    return503OnClosing: false,
    requestTimeout: timeouts.readMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionTimeout: timeouts.writeMs,
    ...(tls ? { https: { ...serverSettings(timeouts), ...tls } } : { http: serverSettings(timeouts) }),
    frameworkErrors,
    clientErrorHandler: answerBadRequest,
  })
  app.decorateRequest("matched", null)
  app.decorateRequest("principal", null)
  app.decorateRequest("visitor", null)
  app.decorateRequest("trace", null)
  app.decorateRequest("span", null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, parseBody)
  return app
}

const serverSettings = (timeouts: RestTimeouts) => ({
  // The door refuses a request without a host, in our words.
  requireHostHeader: false,
  headersTimeout: Math.min(HEADERS_MS, timeouts.readMs),
  // Node looks for late requests this often; its own 30 s would double the limit.
  connectionsCheckingInterval: Math.max(50, Math.min(1_000, timeouts.readMs / 4)),
})

function mount(app: FastifyInstance, route: Route, handler: ReturnType<typeof handlerOf>): void {
  app.route({
    method: route.method as Exclude<Route["method"], "ANY">,
    url: (route.openEnded ? route.path.replace(/\{\w+\}$/, "*") : route.path).replaceAll(/\{(\w+)\}/g, ":$1"),
    onRequest: handler.enter,
    handler: handler.run,
  })
}

function serverOf(app: FastifyInstance, admission: Admission, { timeouts, tls }: RestOptions): RestServer {
  return {
    async listen(port, host) {
      admission.addHost(host)
      await app.listen({ port, host })
      const address = app.server.address()
      const name = host.includes(":") ? `[${host}]` : host
      return `${tls ? "https" : "http"}://${name}:${typeof address === "object" && address ? address.port : port}`
    },
    close: () => close(app, timeouts.shutdownMs),
  }
}

async function close(app: FastifyInstance, shutdownMs: number): Promise<void> {
  const done = new AbortController()
  const closed = app.close().then(() => done.abort())
  const cutOff = sleep(shutdownMs, undefined, { signal: done.signal }).then(
    () => app.server.closeAllConnections(),
    () => undefined,
  )
  // A connection that was busy when the server closed is idle later, and would keep it open.
  const idle = setInterval(() => app.server.closeIdleConnections(), 50)
  await closed.finally(() => clearInterval(idle))
  await cutOff
}
