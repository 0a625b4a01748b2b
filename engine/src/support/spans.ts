// Spans, by the API of OpenTelemetry alone. Nothing is made while no tracer is registered: ask `isTracing` first.
import {
  type Attributes,
  type Context,
  context,
  createTraceState,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api"
import { EngineError } from "./errors.ts"
import { isA, peek } from "./thrown.ts"
import { readTraceContext, traceparentOf, tracestateOf } from "./trace-context.ts"

export type { Attributes, Span } from "@opentelemetry/api"

/** What the API returns where no tracer is registered. */
const NOBODY = new ProxyTracerProvider().getDelegate()

/** Registered by us, by the host, or by another copy of the API: that one's provider is not of our class. */
export function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== NOBODY
}

const KINDS = { server: SpanKind.SERVER, producer: SpanKind.PRODUCER, consumer: SpanKind.CONSUMER }

export interface NewSpan {
  readonly name: string
  readonly kind: keyof typeof KINDS
  /** The format is that of `trace-context.ts`. Without it a trace begins here. */
  readonly parent: string | undefined
  /** Never a payload, a key or a token. */
  readonly attributes: Attributes
}

/** The parent is named, and what happens to be active does not count: a batch works for many traces at once. */
export const openSpan = ({ name, kind, parent, attributes }: NewSpan): Span =>
  trace.getTracer("millrace").startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent))

function contextOf(parent: string | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT
  const [, traceId = "", spanId = "", flags = ""] = traceparentOf(parent).split("-")
  const state = tracestateOf(parent)
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state === undefined ? {} : { traceState: createTraceState(state) }),
  })
}

/** What is asked for within this span carries this. */
export const traceOf = (span: Span): string | undefined => textOf(span.spanContext())

/** Where the code that calls us stands, if it is traced. */
export function activeTrace(): string | undefined {
  if (!isTracing()) return undefined
  const active = trace.getSpanContext(context.active())
  return active && textOf(active)
}

function textOf({ traceId, spanId, traceFlags, traceState }: ReturnType<Span["spanContext"]>): string | undefined {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0")
  return readTraceContext(`00-${traceId}-${spanId}-${flags}`, traceState?.serialize())
}

/** Spans that the work makes are children of this one, wherever the host keeps its context. */
export const runWithin = <T>(span: Span, work: () => T): T => context.with(trace.setSpan(ROOT_CONTEXT, span), work)

/** By its kind alone: a message may quote what must not leave the engine. */
export function failSpan(span: Span, type: string | undefined): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  if (type !== undefined) span.setAttribute("error.type", type)
}

const PLAIN_NAME = /^\w{1,64}$/

export function errorType(error: unknown): string {
  if (isA(error, EngineError)) return error.code
  const name = isA(error, Error) ? peek(() => error.name) : undefined
  return name !== undefined && PLAIN_NAME.test(name) ? name : "Error"
}
