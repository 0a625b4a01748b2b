// A tracer that keeps its spans, registered for a test file as a host registers its own.
import { context, type SpanContext, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace"

export interface RecordedSpans {
  /** Spans that have ended, in the order of their ends. */
  all(): readonly ReadableSpan[]
  named(name: string): readonly ReadableSpan[]
  forget(): void
  stop(): void
}

export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return {
    all: () => exporter.getFinishedSpans(),
    named: (name) => exporter.getFinishedSpans().filter((span) => span.name === name),
    forget: () => exporter.reset(),
    stop() {
      trace.disable()
      context.disable()
    },
  }
}

export const traceparentOf = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`
