// The span of an HTTP request, by its route.
import { failSpan } from "../../../support/spans.ts"
import { openCall } from "../../calls/call-span.ts"
import type { Route } from "../../calls/route.ts"
import type { Answering, Asked } from "./exchange.ts"
import { isPageRead } from "./page-read.ts"

export function openRequest(request: Asked, { path, quiet = false }: Route): void {
  const { method } = request
  const { span, trace } = openCall({
    headers: request.headers,
    quiet: quiet || isPageRead(request),
    about: () => ({
      name: `${method} ${path}`,
      // The route and not the path: a path may contain a caller's key.
      attributes: { "http.request.method": method, "http.route": path, "millrace.request.id": request.id },
    }),
  })
  if (span) request.span = span
  if (trace !== undefined) request.trace = trace
}

export function closeRequest({ span }: Asked, { statusCode }: Answering): void {
  if (!span) return
  span.setAttribute("http.response.status_code", statusCode)
  if (statusCode >= 500) failSpan(span, String(statusCode))
  span.end()
}
