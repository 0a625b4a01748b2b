// One call to the engine: JSON in and out, the deadline, repeats of what may be repeated, errors as the catalogue names them.
import { backoffMs } from "./backoff.ts"
import { type Clock, sleep } from "./clock.ts"
import { MillraceError, TransportError } from "./errors.ts"
import type { HttpResponse, HttpTransport } from "./http-transport.ts"
import { readError } from "./read-error.ts"

export interface CallOptions {
  /** Ends the call, its repeats included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** For the whole call, repeats included. */
  readonly timeoutMs?: number | undefined
  /** 1: send once, whatever happens. Default: the client's. */
  readonly maxAttempts?: number | undefined
}

/**
 * When a call may be sent again without the caller asking:
 * - `always`: it has the same effect once or twice;
 * - `stale-socket`: only when a kept-alive connection turned out to be closed;
 * - `unsent`: only when it never left.
 */
export type Repeat = "always" | "stale-socket" | "unsent"

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly body?: unknown
  readonly idempotencyKey?: string | undefined
  readonly repeat: Repeat
  /** How long the engine may hold the answer on purpose. */
  readonly waitMs?: number
  /** A worker asks or reports for itself: in nobody's trace. */
  readonly untraced?: boolean
  readonly options?: CallOptions | undefined
}

/** By the W3C's names: where the code that calls stands in a trace. */
export interface TraceContext {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

export interface CallerConfig {
  readonly transport: HttpTransport
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly attemptTimeoutMs: number
  readonly maxAttempts: number
  readonly clock: Clock
  readonly traceContext?: (() => TraceContext | undefined) | undefined
}

export class Caller {
  readonly #config: CallerConfig
  readonly #headers: Readonly<Record<string, string>>

  constructor(config: CallerConfig) {
    this.#config = config
    const key = config.apiKey === undefined ? {} : { authorization: `Bearer ${config.apiKey}` }
    this.#headers = { accept: "application/json", ...key }
  }

  async call<T>(call: Call): Promise<T> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    const headers = this.#headersOf(call, body)
    const deadline = this.#config.clock.now() + this.#timeoutMs(call)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt<T>(call, headers, body, deadline)
      } catch (error) {
        const pauseMs = this.#pauseBeforeRepeat(call, error, attempt)
        if (pauseMs === undefined || this.#config.clock.now() + pauseMs >= deadline) throw error
        await sleep(this.#config.clock, pauseMs, call.options?.signal)
      }
    }
  }

  #timeoutMs(call: Call): number {
    return call.options?.timeoutMs ?? this.#config.timeoutMs + (call.waitMs ?? 0)
  }

  async #attempt<T>(
    call: Call,
    headers: Record<string, string>,
    body: string | undefined,
    deadline: number,
  ): Promise<T> {
    const left = Math.max(1, deadline - this.#config.clock.now())
    const response = await this.#config.transport.send({
      method: call.method,
      path: call.path,
      headers,
      body,
      timeoutMs: Math.min(left, this.#config.attemptTimeoutMs + (call.waitMs ?? 0)),
      signal: call.options?.signal,
      waits: (call.waitMs ?? 0) > 0,
    })
    if (response.status >= 200 && response.status < 300) return parse<T>(call, response)
    throw readError(response)
  }

  #headersOf(call: Call, body: string | undefined): Record<string, string> {
    return {
      ...this.#headers,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(call.idempotencyKey === undefined ? {} : { "idempotency-key": call.idempotencyKey }),
      ...(call.untraced ? {} : this.#traceHeaders()),
    }
  }

  /** Asked before anything is awaited: what is active then is the caller's. */
  #traceHeaders(): Record<string, string> {
    const { traceparent, tracestate } = this.#config.traceContext?.() ?? {}
    if (!traceparent) return {}
    return tracestate ? { traceparent, tracestate } : { traceparent }
  }

  /** Undefined when the call must not be repeated. */
  #pauseBeforeRepeat(call: Call, error: unknown, attempt: number): number | undefined {
    const maxAttempts = call.options?.maxAttempts ?? this.#config.maxAttempts
    if (attempt >= maxAttempts || !mayRepeat(call.repeat, error)) return undefined
    if (error instanceof TransportError && error.staleSocket) return 0
    const askedMs = error instanceof MillraceError ? (error.retryAfter ?? 0) * 1000 : 0
    return Math.max(askedMs, backoffMs(attempt))
  }
}

function mayRepeat(repeat: Repeat, error: unknown): boolean {
  if (error instanceof MillraceError) return repeat === "always" && error.retryable
  if (!(error instanceof TransportError)) return false
  if (repeat === "stale-socket") return error.staleSocket
  return repeat === "always" || error.kind === "unreachable"
}

function parse<T>(call: Call, response: HttpResponse): T {
  if (response.status === 204 || response.text === "") return undefined as T
  try {
    return JSON.parse(response.text) as T
  } catch (cause) {
    throw new TransportError("malformed", `the answer to ${call.method} ${call.path} is not JSON`, { cause })
  }
}
