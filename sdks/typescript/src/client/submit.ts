// A submission that is sent until an engine accepts it: one key, several engines, and no giving up as long as it can still work.
import { randomUUID } from "node:crypto"
import { setMaxListeners } from "node:events"
import { backoffMs } from "../calls/backoff.ts"
import { type Clock, monotonicClock, sleep } from "../calls/clock.ts"
import { MillraceError, TransportError } from "../calls/errors.ts"
import { EngineClient } from "./engine-client.ts"
import type { EngineClientOptions } from "./engine-client-options.ts"

interface Submission {
  readonly definitionId: string
  readonly payload: object
  /** The submission's own name. Made here when absent; give your own if you may have to submit again after a failure. */
  readonly key?: string | undefined
  readonly linkingId?: string | undefined
  /** How long an engine may be silent before the next one is asked as well; default 300. */
  readonly hedgeAfterMs?: number | undefined
  /** How long to wait for one answer before the same engine is asked again; default 10 000. */
  readonly attemptTimeoutMs?: number | undefined
  /** When to give up; never, when absent. */
  readonly deadlineMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

/** Engines on one database, the nearest first. Clients keep their connections from one submission to the next. */
type Engines =
  | (Pick<EngineClientOptions, "apiKey" | "traceContext"> & {
      readonly urls: readonly string[]
      readonly clients?: undefined
    })
  | { readonly clients: readonly EngineClient[]; readonly urls?: undefined }

/** What is submitted, where, and for how long it is tried. */
export type SubmitOptions = Submission & Engines

/** What a submission that was taken gives back. */
export interface Submitted {
  readonly idempotencyKey: string
  /** The address of the engine that accepted it first. */
  readonly url: string
}

/**
 * Resolves once an engine has accepted, and then takes back what is still under way at others. Failures that may pass are sat out, each
 * engine for itself and as its Retry-After asks. Rejects when an engine refuses for good (most of 4xx), the signal aborts or the
 * deadline passes; after the latter two it may still have been accepted.
 */
export async function submit(options: SubmitOptions): Promise<Submitted> {
  const clients = options.clients ?? connect(options)
  if (clients.length === 0) throw new TypeError("submit needs at least one engine: give urls or clients")
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  const attempts = new Attempts({ ...options, key: options.key ?? randomUUID(), signal: over.signal })
  const unbind = bind(options, over, attempts)
  try {
    return await attempts.askAll(clients)
  } finally {
    unbind()
    over.abort()
    if (!options.clients) for (const client of clients) client.close()
  }
}

const connect = (options: SubmitOptions & { readonly clients?: undefined }): EngineClient[] => {
  const { urls, apiKey, traceContext, clock } = options
  return urls.map((url) => new EngineClient({ url, apiKey, traceContext, clock }))
}

/** Lets the caller's signal and the deadline end it. */
function bind({ signal, deadlineMs, clock = monotonicClock }: Submission, over: AbortController, attempts: Attempts) {
  const abort = () => over.abort(signal?.reason)
  const cancel = deadlineMs === undefined ? () => {} : clock.after(deadlineMs, () => over.abort(attempts.late()))
  if (signal?.aborted) abort()
  signal?.addEventListener("abort", abort, { once: true })
  return () => {
    cancel()
    signal?.removeEventListener("abort", abort)
  }
}

const urlOf = (client: EngineClient): string => [client.options.url].flat().join(",")

class Attempts {
  readonly #submission: Submission & { readonly key: string; readonly signal: AbortSignal }
  readonly #clock: Clock
  #trouble: unknown

  constructor(submission: Submission & { readonly key: string; readonly signal: AbortSignal }) {
    this.#submission = submission
    this.#clock = submission.clock ?? monotonicClock
  }

  /** The next engine is asked when the one before is in trouble, or silent for too long. Those that were asked are asked on. */
  askAll(clients: readonly EngineClient[]): Promise<Submitted> {
    const { signal, hedgeAfterMs = 300 } = this.#submission
    return new Promise((resolve, reject) => {
      let begun = 0
      const begin = (index: number): void => {
        const client = clients[index]
        if (!client || index < begun) return
        begun = index + 1
        const next = () => begin(index + 1)
        this.#askUntilAccepted(client, next).then(resolve, reject)
        void sleep(this.#clock, hedgeAfterMs, signal).then(next)
      }
      begin(0)
    })
  }

  async #askUntilAccepted(client: EngineClient, onTrouble: () => void): Promise<Submitted> {
    const { signal } = this.#submission
    for (let attempt = 1; ; attempt++) {
      if (signal.aborted) throw signal.reason
      try {
        return await this.#ask(client)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (isFinal(error)) throw error
        this.#trouble = error
        onTrouble()
        await sleep(this.#clock, pauseMs(error, attempt), signal)
      }
    }
  }

  async #ask(client: EngineClient): Promise<Submitted> {
    const { definitionId, payload, key, linkingId, signal, attemptTimeoutMs: timeoutMs = 10_000 } = this.#submission
    const answer = await client.intake(definitionId, payload, { key, linkingId, signal, timeoutMs, maxAttempts: 1 })
    // A proxy that answers for an engine which is not there has kept nothing.
    if (answer?.idempotencyKey !== key)
      throw new TransportError("malformed", `the answer of ${urlOf(client)} is not an engine's`)
    return { idempotencyKey: key, url: urlOf(client) }
  }

  late(): TransportError {
    const { deadlineMs = 0, key } = this.#submission
    const message = `the submission ${key} was not accepted within ${deadlineMs / 1000} s`
    return new TransportError("timeout", message, { cause: this.#trouble })
  }
}

/** Request Timeout, Too Early and Too Many Requests: of all 4xx only these may pass. */
const MAY_PASS = new Set([408, 425, 429])

function isFinal(error: unknown): boolean {
  if (error instanceof MillraceError) return error.status >= 400 && error.status < 500 && !MAY_PASS.has(error.status)
  return !(error instanceof TransportError)
}

/** Every client gets the same delay from an engine: up to a fifth is added, or all would come back at the same moment. */
function pauseMs(error: unknown, attempt: number): number {
  if (error instanceof TransportError && error.staleSocket) return 0
  const askedMs = error instanceof MillraceError ? (error.retryAfter ?? 0) * 1000 : 0
  return Math.max(askedMs * (1 + Math.random() / 5), backoffMs(attempt))
}
