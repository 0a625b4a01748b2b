// Where a call stands in its trace: in the one it brings along, and, while a tracer is registered, in a span of its own.
import type { IncomingHttpHeaders } from "node:http"
import { activeTrace, isTracing, openSpan, type Span, traceOf } from "../../support/spans.ts"
import { readTraceContext } from "../../support/trace-context.ts"

interface Opening {
  readonly headers: IncomingHttpHeaders
  /** Called so often that it begins no trace; it goes on with one that it is given. */
  readonly quiet: boolean
  /** What its span says; asked only where there is one. */
  readonly about: () => { readonly name: string; readonly attributes: Readonly<Record<string, string>> }
}

export interface CallTrace {
  readonly span?: Span
  readonly trace?: string | undefined
}

/** Undefined where the call brings none, or one that is no good. */
export function broughtTrace({ traceparent, tracestate }: IncomingHttpHeaders): string | undefined {
  return traceparent === undefined ? undefined : readTraceContext(traceparent, tracestate)
}

export function openCall({ headers, quiet, about }: Opening): CallTrace {
  const brought = broughtTrace(headers)
  if (!isTracing() || (brought === undefined && quiet)) return { trace: brought }
  // The host may have a span of its own around its server, which has read the header.
  const span = openSpan({ ...about(), kind: "server", parent: activeTrace() ?? brought })
  return { span, trace: traceOf(span) }
}
