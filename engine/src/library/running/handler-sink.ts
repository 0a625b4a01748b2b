// A function in this process as a sink: events of one key one after the other, those of different keys side by side.
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
const BEHIND: SendOutcome = { kind: "retry", reason: "an earlier event of its key has failed" }

export class HandlerSink implements Sink {
  readonly name: string
  readonly #handler: EventHandler
  #isClosed = false
  #sending: Promise<unknown> = Promise.resolve()

  constructor(name: string, handler: EventHandler) {
    this.name = name
    this.#handler = handler
  }

  async send(batch: readonly OutgoingEvent[]): Promise<readonly SendOutcome[]> {
    const outcomes = new Map<OutgoingEvent, SendOutcome>()
    this.#sending = Promise.all(linesOf(batch).map((line) => this.#handleLine(line, outcomes)))
    await this.#sending
    return batch.map((event) => outcomes.get(event) ?? BEHIND)
  }

  /** The events that are being handled are finished, and no others begun. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#sending
  }

  /** Up to the first that fails. */
  async #handleLine(line: readonly OutgoingEvent[], outcomes: Map<OutgoingEvent, SendOutcome>): Promise<void> {
    for (const event of line) {
      const outcome = this.#isClosed ? CLOSED : await this.#handle(event)
      outcomes.set(event, outcome)
      if (outcome.kind !== "sent") return
    }
  }

  async #handle({ payload, createdAt, attempt = 1, ...event }: OutgoingEvent): Promise<SendOutcome> {
    try {
      await this.#handler({ ...event, payload: payload as JsonObject, createdAt: new Date(createdAt), attempt })
      return { kind: "sent" }
    } catch (error) {
      return { kind: "failed", reason: describeError(error) }
    }
  }
}

/** The events of each key in a line of their own; one without a key is alone. */
function linesOf(batch: readonly OutgoingEvent[]): OutgoingEvent[][] {
  const lines = new Map<string | OutgoingEvent, OutgoingEvent[]>()
  for (const event of batch) {
    const line = lines.get(event.key ?? event)
    if (line) line.push(event)
    else lines.set(event.key ?? event, [event])
  }
  return [...lines.values()]
}
