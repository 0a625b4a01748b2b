// Sends a batch one event at a time: those of one key one after the other, those of different keys side by side.
import type { OutgoingEvent, SendOutcome } from "./sink.ts"

export interface Lines {
  readonly send: (event: OutgoingEvent) => Promise<SendOutcome>
  /** The most events that are sent side by side; all keys unless it is said. */
  readonly width?: number
}

const BEHIND: SendOutcome = { kind: "retry", reason: "an earlier event of its key was not sent" }

/** Sends the events of each key up to the first that is not sent. Returns an outcome for each event, in the order of the batch. */
export async function sendInLines(batch: readonly OutgoingEvent[], { send, width }: Lines): Promise<SendOutcome[]> {
  const outcomes = new Map<OutgoingEvent, SendOutcome>()
  const lines = linesOf(batch)
  const next = lines.values()
  const work = async () => {
    for (const line of next) await sendLine(line, send, outcomes)
  }
  await Promise.all(Array.from({ length: Math.min(width ?? lines.length, lines.length) }, work))
  return batch.map((event) => outcomes.get(event) ?? BEHIND)
}

async function sendLine(
  line: readonly OutgoingEvent[],
  send: Lines["send"],
  outcomes: Map<OutgoingEvent, SendOutcome>,
): Promise<void> {
  for (const event of line) {
    const outcome = await send(event)
    outcomes.set(event, outcome)
    if (outcome.kind !== "sent") return
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
