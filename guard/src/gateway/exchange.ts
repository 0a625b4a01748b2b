// One request and its answer, as the server around the gateway hands them over.
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { Sender } from "./forward-headers.ts"
import type { GatewayRefusal } from "./refusal.ts"
import type { Upstream } from "./upstream.ts"

/** A connection that asks to become a WebSocket, and what the caller has sent after its request. */
export interface Upgrading {
  readonly socket: Duplex
  readonly head: Buffer
}

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** What to ask the upstream for, its query included: as `Gateway.route` gives it. */
  readonly target: string
  readonly upstream: Upstream
  readonly hasBody: boolean
  readonly sender: Sender
  /** Headers of the answer that are ours; in lower case. */
  readonly own: Readonly<Record<string, string>>
  /** Called at most once, and only while nothing of an answer has been sent. */
  readonly refuse: (refusal: GatewayRefusal) => void
  /** Called once when the answer has closed, whole or broken off. */
  readonly closed?: (() => void) | undefined
  /** Called when an answer begins that may go on for hours: a stream of events, or a WebSocket. */
  readonly onStream?: ((end: () => void) => void) | undefined
  /** Where the caller asks for a WebSocket. */
  readonly upgrading?: Upgrading | undefined
}
