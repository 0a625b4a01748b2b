// Where a request stands in its trace: in the one it brings along, and, while a tracer is registered, in a span of its own.
import type { FastifyReply, FastifyRequest } from "fastify"
import { activeTrace, failSpan, isTracing, openSpan, traceOf } from "../../../support/spans.ts"
import { readTraceContext } from "../../../support/trace-context.ts"
import type { Route } from "../../calls/route.ts"
import { isPageRead } from "./page-read.ts"

/** Undefined where the request brings none, or one that is no good. */
export function broughtTrace({ headers }: Pick<FastifyRequest, "headers">): string | undefined {
  const { traceparent, tracestate } = headers
  return traceparent === undefined ? undefined : readTraceContext(traceparent, tracestate)
}

/** What is called so often that it is worth no log line begins no trace either; it goes on with one that it is given. */
export function openRequest(request: FastifyRequest, { method, path, quiet }: Route): void {
  const brought = broughtTrace(request)
  if (brought !== undefined) request.trace = brought
  if (!isTracing() || (brought === undefined && (quiet || isPageRead(request)))) return
  const span = openSpan({
    name: `${method} ${path}`,
    kind: "server",
    // The host may have a span of its own around its server, which has read the header.
    parent: activeTrace() ?? brought,
    // The route and not the path: a path may contain a caller's key.
    attributes: { "http.request.method": method, "http.route": path, "millrace.request.id": request.id },
  })
  request.span = span
  request.trace = traceOf(span) ?? null
}

export function closeRequest({ span }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span) return
  span.setAttribute("http.response.status_code", statusCode)
  if (statusCode >= 500) failSpan(span, String(statusCode))
  span.end()
}
