// What a gRPC call says about its caller, in the form that the checks of REST read.
import type { IncomingHttpHeaders } from "node:http"
import type { Metadata } from "@grpc/grpc-js"

/** What a call of any kind has. */
export interface SurfaceCall {
  readonly metadata: Metadata
  readonly cancelled: boolean
  getPeer(): string
  getHost(): string
  on(event: "cancelled", listener: () => void): unknown
}

/** A cookie is of a browser's page, which does not speak gRPC: it counts for nothing here. */
const READ = [
  "authorization",
  "idempotency-key",
  "x-request-id",
  "traceparent",
  "tracestate",
  "user-agent",
  "x-forwarded-for",
  "forwarded",
] as const

export function headersOf(call: SurfaceCall): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = { host: call.getHost() }
  for (const name of READ) {
    const text = textOf(call.metadata, name)
    if (text !== undefined) headers[name] = text
  }
  return headers
}

/** Of a name that is given twice the values are joined, as HTTP does it. */
function textOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name)
  return values.length === 0 ? undefined : values.map(String).join(", ")
}

/** `127.0.0.1:51234` → `127.0.0.1`, `[::1]:51234` → `::1`. */
export const remoteAddressOf = (call: SurfaceCall): string =>
  call
    .getPeer()
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")

/** Aborts when the caller has gone, or its deadline has passed. */
export function goneSignal(call: SurfaceCall): AbortSignal {
  const gone = new AbortController()
  if (call.cancelled) gone.abort()
  else call.on("cancelled", () => gone.abort())
  return gone.signal
}
