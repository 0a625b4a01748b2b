// Hands rows of the outbox to a sink as the events that they are, and keeps what it said of each by its place.
import type { Verdict } from "../../model/events/plan-move.ts"
import { type EventRow, wireId } from "../../store/events/events.ts"
import type { OutgoingEvent, Sink } from "./sink.ts"

type Row = EventRow & { readonly attempts?: number }

/** A sink that throws may have taken any of them. */
export async function sendEvents(sink: Sink, rows: readonly Row[]): Promise<ReadonlyMap<number, Verdict>> {
  if (rows.length === 0) return new Map()
  const outcomes = await sink.send(rows.map(eventOf)).catch((error: unknown) => {
    const lost: Verdict = { kind: "unknown", reason: error instanceof Error ? error.message : String(error) }
    return rows.map(() => lost)
  })
  return new Map(outcomes.map((outcome, at) => [rows[at]?.seq ?? 0, outcome]))
}

const eventOf = (row: Row): OutgoingEvent => ({
  id: wireId(row),
  type: row.type,
  key: row.key,
  payload: row.payload,
  headers: JSON.parse(row.headers) as OutgoingEvent["headers"],
  createdAt: row.created_at,
  attempt: (row.attempts ?? 0) + 1,
})
