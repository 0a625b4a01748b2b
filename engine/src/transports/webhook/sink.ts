// A web address as a sink of events: each is posted as JSON and signed, those of one key one after the other.
import { sendInLines } from "../../operations/events/send-in-lines.ts"
import type { OutgoingEvent, SendOutcome, Sink } from "../../operations/events/sink.ts"
import { keptConnections, type Post, postJson } from "../../support/web/post-json.ts"
import { outcomeOf } from "./answer-outcome.ts"
import { judgeReceiver } from "./judge-receiver.ts"
import { signatureOf } from "./signature.ts"

/** By the names that the settings have. */
export interface WebhookSettings {
  readonly eventWebhookUrl: string
  readonly eventWebhookSecret: string
  readonly eventWebhookNetworks: readonly string[]
  readonly eventWebhookTimeoutMs: number
}

/** Posts that are under way side by side. */
const WIDTH = 16
const CLOSED: SendOutcome = { kind: "retry", reason: "the process is stopping" }

export class WebhookSink implements Sink {
  readonly name = "webhook"
  readonly #secret: string
  readonly #post: Omit<Post, "body" | "headers">
  #isClosed = false
  /** The receiver takes nothing at the moment: the rest of the batch would be refused as well. */
  #stop: SendOutcome | undefined
  #sending: Promise<unknown> = Promise.resolve()

  constructor(settings: WebhookSettings) {
    const url = settings.eventWebhookUrl
    this.#secret = settings.eventWebhookSecret
    const judge = judgeReceiver(url, settings.eventWebhookNetworks)
    this.#post = { url, timeoutMs: settings.eventWebhookTimeoutMs, judge, agent: keptConnections(url, WIDTH) }
  }

  async send(batch: readonly OutgoingEvent[]): Promise<readonly SendOutcome[]> {
    this.#stop = this.#isClosed ? CLOSED : undefined
    const sending = sendInLines(batch, { send: (event) => this.#sendOne(event), width: WIDTH })
    this.#sending = sending
    return sending
  }

  /** What is being posted is finished, within its time; nothing else is begun. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stop = CLOSED
    await this.#sending
    this.#post.agent?.destroy()
  }

  async #sendOne(event: OutgoingEvent): Promise<SendOutcome> {
    if (this.#stop) return this.#stop
    const body = bodyOf(event)
    const nowMs = Date.now()
    const outcome = outcomeOf(
      await postJson({ ...this.#post, body, headers: this.#headersOf(event, body, nowMs) }),
      nowMs,
    )
    if (outcome.kind === "retry") this.#stop ??= outcome
    return outcome
  }

  #headersOf({ id, type, headers }: OutgoingEvent, body: string, nowMs: number): Record<string, string> {
    const timestamp = Math.floor(nowMs / 1_000)
    const { traceparent, tracestate } = headers
    return {
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(tracestate === undefined ? {} : { tracestate }),
      "user-agent": "millrace",
      "webhook-id": id,
      "webhook-type": type,
      "webhook-timestamp": `${timestamp}`,
      "webhook-signature": signatureOf({ id, timestamp, body }, this.#secret),
    }
  }
}

function bodyOf({ id, type, key, payload, headers, createdAt }: OutgoingEvent): string {
  const about = JSON.stringify({ id, type, key, createdAt: new Date(createdAt).toISOString(), headers })
  return `${about.slice(0, -1)},"payload":${payload}}`
}
