// Listens for the errors of connections to Kafka. One that breaks while it authenticates emits a second error after the client has
// stopped listening, and an error without a listener ends the process. What became of a call is told by the call.
import { subscribe } from "node:diagnostics_channel"
import type { EventEmitter } from "node:events"

/** What the client announces when it makes one of its objects. */
interface Made {
  readonly type: string
  readonly instance: EventEmitter & { readonly context?: unknown }
}

/** Clients hand it to their connections: only ours are listened to. */
const OURS = Object.freeze({ product: "millrace" })

let isSubscribed = false

/** For the options of every client. */
export function heardConnections(): { readonly context: object } {
  if (!isSubscribed) subscribe("plt:kafka:instances", hear)
  isSubscribed = true
  return { context: OURS }
}

function hear(message: unknown): void {
  const { type, instance } = message as Made
  if (type === "connection" && instance.context === OURS) instance.on("error", () => {})
}
