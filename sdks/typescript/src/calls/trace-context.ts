// Where the code that calls stands in a trace, by the W3C's names.

/** The headers of W3C trace context. */
export interface TraceContext {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

export function traceMetadata({ traceparent, tracestate }: TraceContext = {}): Record<string, string> {
  if (!traceparent) return {}
  return tracestate ? { traceparent, tracestate } : { traceparent }
}
