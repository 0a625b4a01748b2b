// The span of an HTTP request, by its route.
import type { FastifyReply, FastifyRequest } from "fastify"
import { failSpan } from "../../../support/spans.ts"
import { openCall } from "../../calls/call-span.ts"
import type { Route } from "../../calls/route.ts"
import { isPageRead } from "./page-read.ts"

export function openRequest(request: FastifyRequest, { path, quiet = false }: Route): void {
  const { method } = request
  const { span, trace } = openCall({
    headers: request.headers,
    name: `${method} ${path}`,
    quiet: quiet || isPageRead(request),
    // The route and not the path: a path may contain a caller's key.
    attributes: { "http.request.method": method, "http.route": path, "millrace.request.id": request.id },
  })
  if (span) request.span = span
  if (trace !== undefined) request.trace = trace
}

export function closeRequest({ span }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span) return
  span.setAttribute("http.response.status_code", statusCode)
  if (statusCode >= 500) failSpan(span, String(statusCode))
  span.end()
}
