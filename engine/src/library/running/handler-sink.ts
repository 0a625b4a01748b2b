// A function in this process as a sink: events of one key one after the other, those of different keys side by side.
import { sendInLines } from "../../operations/events/send-in-lines.ts"
import type { OutgoingEvent, SendOutcome, Sink } from "../../operations/events/sink.ts"
import type { JsonObject } from "../../support/json.ts"
import { describeError } from "./step-failure.ts"

/** What a handler is called with. The same event may come again: its id is the same then. */
export interface MillEvent {
  readonly id: string
  readonly type: string
  readonly key: string | null
  readonly payload: JsonObject
  readonly headers: Readonly<Record<string, string>>
  readonly createdAt: Date
  /** 1, and more when it has failed before. */
  readonly attempt: number
}

export type EventHandler = (event: MillEvent) => unknown

const CLOSED: SendOutcome = { kind: "retry", reason: "the process is stopping" }

export class HandlerSink implements Sink {
  readonly name: string
  readonly #handler: EventHandler
  readonly #thrown: "failed" | "retry"
  #isClosed = false
  #sending: Promise<unknown> = Promise.resolve()

  /** `thrown`: whether what the handler throws is about its event, or tells that nothing can be handled at the moment. */
  constructor(name: string, handler: EventHandler, thrown: "failed" | "retry" = "failed") {
    this.name = name
    this.#handler = handler
    this.#thrown = thrown
  }

  send(batch: readonly OutgoingEvent[]): Promise<readonly SendOutcome[]> {
    const sending = sendInLines(batch, { send: async (event) => (this.#isClosed ? CLOSED : this.#handle(event)) })
    this.#sending = sending
    return sending
  }

  /** The events that are being handled are finished, and no others begun. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sending
  }

  async #handle({ payload, createdAt, attempt = 1, ...event }: OutgoingEvent): Promise<SendOutcome> {
    try {
      const parsed = JSON.parse(payload) as JsonObject
      await this.#handler({ ...event, payload: parsed, createdAt: new Date(createdAt), attempt })
      return { kind: "sent" }
    } catch (error) {
      return { kind: this.#thrown, reason: describeError(error) }
    }
  }
}
