// One line and one measurement per request; never a body, a key, a token or a path with ids in it.
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Logger } from "../../../support/log.ts"
import type { Metrics } from "../../../support/metrics.ts"
import { traceparentOf } from "../../../support/trace-context.ts"
import { broughtTrace } from "../../calls/call-span.ts"
import { LOCAL } from "../../calls/route.ts"
import { isPageRead } from "./page-read.ts"

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])

export function accessLog(log: Logger, metrics: Metrics): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const { statusCode: status, elapsedTime } = reply
    const method = METHODS.has(request.method) ? request.method : "OTHER"
    // The pattern, not the path: labels and log fields stay few however many ids there are.
    const route = request.matched?.path ?? request.routeOptions.url ?? "unmatched"
    metrics.httpDuration.observe({ method, path: route, status }, elapsedTime / 1000)
    if (status < 400 && (request.matched?.quiet || isPageRead(request))) return
    const level = status >= 500 ? "error" : status >= 400 ? "warn" : "info"
    if (log.isLevelEnabled(level)) log[level](lineOf(request, reply, method, route), "request")
  }
}

function lineOf(request: FastifyRequest, reply: FastifyReply, method: string, route: string): object {
  const { principal } = request
  const trace = request.trace ?? broughtTrace(request.headers)
  return {
    requestId: request.id,
    method,
    route,
    status: reply.statusCode,
    bytes: Number(reply.getHeader("content-length") ?? 0),
    durationMs: Math.round(reply.elapsedTime * 100) / 100,
    remote: request.socket.remoteAddress,
    ...(principal && principal !== LOCAL ? { caller: principal.name } : {}),
    ...(trace === undefined ? {} : { traceparent: traceparentOf(trace) }),
  }
}
