// One call to the engine: its deadline, repeats of what may be repeated, and the next address when one is in trouble.
import type { Addresses } from "./addresses.ts"
import { backoffMs } from "./backoff.ts"
import { type Clock, sleep } from "./clock.ts"
import { MillraceError, TransportError } from "./errors.ts"
import type { Wire, WireRequest } from "./wire.ts"

/** What every call takes last. */
export interface CallOptions {
  /** Ends the call, its repeats included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The time limit of the whole call, repeats included. */
  readonly timeoutMs?: number | undefined
  /** 1: send once, whatever happens. Default: the client's. */
  readonly maxAttempts?: number | undefined
}

/**
 * When a call may be sent again without the caller asking:
 * - `always`: it has the same effect once or twice;
 * - `stale-socket`: only when a kept-alive connection turned out to be closed, or when another address can be asked instead;
 * - `unsent`: only when it never left.
 */
export type Repeat = "always" | "stale-socket" | "unsent"

export interface Call extends WireRequest {
  readonly repeat: Repeat
  /** How long the engine may hold the answer on purpose. */
  readonly waitMs: number
  readonly options: CallOptions | undefined
}

export interface CallerConfig {
  /** Where an operation is asked. */
  readonly addresses: (operation: Call["operation"]) => Addresses
  readonly timeoutMs: number
  readonly attemptTimeoutMs: number
  readonly maxAttempts: number
  readonly clock: Clock
}

export class Caller {
  readonly #config: CallerConfig

  constructor(config: CallerConfig) {
    this.#config = config
  }

  async call(call: Call): Promise<unknown> {
    const { clock } = this.#config
    const addresses = this.#config.addresses(call.operation)
    const deadline = clock.now() + this.#timeoutMs(call)
    for (let attempt = 1; ; attempt++) {
      const wire = addresses.current
      try {
        return await this.#attempt(call, wire, deadline)
      } catch (error) {
        if (isTrouble(error)) addresses.leave(wire)
        const pauseMs = this.#pauseBeforeRepeat(call, error, { attempt, others: addresses.count - attempt })
        if (pauseMs === undefined || clock.now() + pauseMs >= deadline) throw error
        await sleep(clock, pauseMs, call.options?.signal)
      }
    }
  }

  #timeoutMs(call: Call): number {
    return call.options?.timeoutMs ?? this.#config.timeoutMs + call.waitMs
  }

  #attempt(call: Call, wire: Wire, deadline: number): Promise<unknown> {
    const left = Math.max(1, deadline - this.#config.clock.now())
    const timeoutMs = Math.min(left, this.#config.attemptTimeoutMs + call.waitMs)
    return wire.send(call, { timeoutMs, signal: call.options?.signal })
  }

  /** Undefined when the call must not be repeated. */
  #pauseBeforeRepeat(call: Call, error: unknown, { attempt, others }: Tried): number | undefined {
    const maxAttempts = call.options?.maxAttempts ?? this.#config.maxAttempts
    if (attempt >= maxAttempts || !mayRepeat(call.repeat, error, others > 0)) return undefined
    if (error instanceof TransportError && (error.staleSocket || others > 0)) return 0
    const askedMs = error instanceof MillraceError ? (error.retryAfter ?? 0) * 1000 : 0
    return Math.max(askedMs, backoffMs(attempt))
  }
}

interface Tried {
  readonly attempt: number
  /** Addresses that this call has not asked. */
  readonly others: number
}

function mayRepeat(repeat: Repeat, error: unknown, elsewhere: boolean): boolean {
  if (error instanceof MillraceError) return repeat === "always" && error.retryable
  if (!(error instanceof TransportError)) return false
  if (repeat === "stale-socket") return error.staleSocket || (elsewhere && error.kind === "unreachable")
  return repeat === "always" || error.kind === "unreachable"
}

/** What a proxy answers for an engine that is gone, and an engine that is leaving or without its database. */
const TROUBLED = new Set([502, 503, 504])

export function isTrouble(error: unknown): boolean {
  if (error instanceof TransportError) return error.kind !== "malformed"
  return error instanceof MillraceError && TROUBLED.has(error.status)
}
