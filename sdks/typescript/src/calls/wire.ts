// What every transport gives: one operation sent once to one address, answered in the words of the REST contract.
import type { Operations } from "../generated/wire.ts"
import type { Given } from "./operations.ts"

export interface WireRequest {
  readonly operation: keyof Operations
  readonly asked: Given
  /** `idempotency-key`, `traceparent` and `tracestate`, by the names that both transports have for them. */
  readonly metadata: Readonly<Record<string, string>>
  /** Called when the answer is that of an earlier request. */
  readonly onRepeat?: (() => void) | undefined
  /** The engine may hold the answer: such requests never keep a report waiting for a connection. */
  readonly waits: boolean
}

export interface Attempt {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

export interface Wire {
  /** The address as it was given. */
  readonly url: string
  /** Rejects with MillraceError when the engine refused, with TransportError when no answer arrived. */
  send(request: WireRequest, attempt: Attempt): Promise<unknown>
  /** Closes every connection; requests in flight fail. */
  close(): void
}
