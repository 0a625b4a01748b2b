// A sink that keeps what it was sent, and says of each event what a test wants it to say.
import type { OutgoingEvent, SendOutcome, Sink } from "../operations/events/sink.ts"

/** What the payload says under `n`. */
export const numberOf = (payload: string): unknown => (JSON.parse(payload) as { n: unknown }).n

const BEHIND: SendOutcome = { kind: "retry", reason: "behind another one" }

export class RecordingSink implements Sink {
  readonly name: string
  takesMany = false
  readonly sent: OutgoingEvent[] = []
  /** Asked before an event is taken. */
  judge: (event: OutgoingEvent) => SendOutcome | Promise<SendOutcome> = () => ({ kind: "sent" })

  constructor(name: string) {
    this.name = name
  }

  /** What was taken, as it came. */
  get payloads(): unknown[] {
    return this.sent.map(({ payload }) => numberOf(payload))
  }

  async send(batch: readonly OutgoingEvent[]): Promise<readonly SendOutcome[]> {
    const outcomes: SendOutcome[] = []
    const stuck = new Set<string | null>()
    for (const event of batch) {
      const outcome = stuck.has(event.key) ? BEHIND : await this.judge(event)
      outcomes.push(outcome)
      if (outcome.kind === "sent") this.sent.push(event)
      else if (event.key !== null) stuck.add(event.key)
    }
    return outcomes
  }

  async close(): Promise<void> {}
}
