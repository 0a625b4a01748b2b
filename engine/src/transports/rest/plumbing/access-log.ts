// One line and one measurement per request; never a body, a key, a token or a path with ids in it.
import type { Metrics } from "../../../support/metrics.ts"
import { traceparentOf } from "../../../support/trace-context.ts"
import { broughtTrace } from "../../calls/call-span.ts"
import { actionOn } from "../../calls/guard/guard-verdicts.ts"
import type { RestOptions } from "../../calls/options.ts"
import { LOCAL } from "../../calls/route.ts"
import type { Answering, Asked } from "./exchange.ts"
import { isPageRead } from "./page-read.ts"
import { addressOf } from "./visitor.ts"

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])

type Options = Pick<RestOptions, "log" | "findAddress">

export function accessLog(options: Options, metrics: Metrics): (request: Asked, reply: Answering) => void {
  const { log } = options
  return (request, reply) => {
    const { statusCode: status, elapsedTime } = reply
    const method = methodOf(request)
    const route = routeOf(request)
    metrics.httpDuration.observe({ method, path: route, status }, elapsedTime / 1000)
    const isQuiet = request.matched?.quiet || isPageRead(request)
    if (status < 400 && isQuiet && !actionOn(request.visitor?.visit)) return
    const level = status >= 500 ? "error" : status >= 400 ? "warn" : "info"
    if (log.isLevelEnabled(level)) log[level](lineOf(options, request, reply), "request")
  }
}

const methodOf = ({ method }: Asked): string => (METHODS.has(method) ? method : "OTHER")

/** The pattern, not the path: labels and log fields stay few however many ids there are. */
const routeOf = ({ matched, routeOptions }: Asked): string => matched?.path ?? routeOptions.url ?? "unmatched"

function lineOf(options: Options, request: Asked, reply: Answering): object {
  const { principal } = request
  const guard = actionOn(request.visitor?.visit)
  const trace = request.trace ?? broughtTrace(request.headers)
  return {
    requestId: request.id,
    method: methodOf(request),
    route: routeOf(request),
    status: reply.statusCode,
    bytes: Number(reply.getHeader("content-length") ?? 0),
    durationMs: Math.round(reply.elapsedTime * 100) / 100,
    remote: request.visitor?.address ?? addressOf(options, request),
    // What is undefined is not written.
    caller: principal && principal !== LOCAL ? principal.name : undefined,
    guard,
    traceparent: trace === undefined ? undefined : traceparentOf(trace),
  }
}
