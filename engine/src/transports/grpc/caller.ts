// What a gRPC call says about its caller, in the form that the checks of REST read.
import type { IncomingHttpHeaders } from "node:http"
import type { GrpcCall } from "./http2/grpc-call.ts"

/** A cookie is of a browser's page, which does not speak gRPC: it counts for nothing here. */
export const headersOf = ({ headers }: Pick<GrpcCall, "headers">): IncomingHttpHeaders => ({
  host: headers[":authority"] ?? headers.host,
  authorization: headers.authorization,
  "idempotency-key": headers["idempotency-key"],
  "x-request-id": headers["x-request-id"],
  traceparent: headers.traceparent,
  tracestate: headers.tracestate,
  "user-agent": headers["user-agent"],
  "x-forwarded-for": headers["x-forwarded-for"],
  forwarded: headers.forwarded,
})

/** Aborts when the caller has gone, or its deadline has passed. */
export function goneSignal(call: Pick<GrpcCall, "onGone">): AbortSignal {
  const gone = new AbortController()
  call.onGone(() => gone.abort())
  return gone.signal
}
