// The settings of a client.
import type { Clock } from "../calls/clock.ts"
import type { Logger } from "../calls/logger.ts"
import type { TraceContext } from "../calls/trace-context.ts"

/** Where the engine is, and how it is called. */
export interface EngineClientOptions {
  /**
   * Such as `http://127.0.0.1:8080`; a path prefix is kept. The scheme chooses the transport: `http`, `https`, `grpc` (plaintext) or
   * `grpcs`. Several addresses, as a list or separated by commas, are engines on one database: when one is in trouble, the next is asked.
   */
  readonly url: string | readonly string[]
  /** With a gRPC url: where to ask for what gRPC does not have, such as schedules, dead letters and the queue. */
  readonly restUrl?: string | readonly string[] | undefined
  readonly apiKey?: string | undefined
  /** Used by poll, complete, fail, heartbeat and exchange when the call names none. */
  readonly workerId?: string | undefined
  /** For a call with its repeats; default 60 000. A long poll adds its wait. */
  readonly timeoutMs?: number | undefined
  /** The time limit of one attempt; default 30 000. */
  readonly attemptTimeoutMs?: number | undefined
  /** Attempts at a call that may be repeated; default 5, 1 turns repeats off. */
  readonly maxAttempts?: number | undefined
  /** REST connections for calls that do not wait; default 64. */
  readonly maxSockets?: number | undefined
  /** Give each changing call an `Idempotency-Key` of its own, so that it can be repeated safely; default true. */
  readonly autoIdempotencyKeys?: boolean | undefined
  /** Asked at every call that is not a worker's own: sent along, so that what the call starts goes on with the trace. */
  readonly traceContext?: (() => TraceContext | undefined) | undefined
  /** Is told the engine's warnings; default: JSON lines on stderr. */
  readonly logger?: Logger | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

/** All of them: the compiler holds the list and the interface together. */
export const CLIENT_OPTIONS: Readonly<Record<keyof EngineClientOptions, true>> = {
  url: true,
  restUrl: true,
  apiKey: true,
  workerId: true,
  timeoutMs: true,
  attemptTimeoutMs: true,
  maxAttempts: true,
  maxSockets: true,
  autoIdempotencyKeys: true,
  traceContext: true,
  logger: true,
  clock: true,
}
