// How a worker stands, told by what it asks for, what it has in hand and when it was seen.
import type { Worker } from "../../api/workers.ts"
import type { Tone } from "../../kit/status.tsx"
import { durationText } from "../../kit/time.tsx"

interface State {
  readonly tone: Tone
  readonly words: string
}

/** The engine notes a worker that waits for work every ten seconds: one that it has not seen for longer does not wait. */
const SEEN_MS = 15_000

export function stateOf({ polling, inFlight, lastSeenAt }: Worker, now: number): State {
  const ago = lastSeenAt === undefined ? Number.POSITIVE_INFINITY : now - Date.parse(lastSeenAt)
  if (polling && ago <= SEEN_MS) return { tone: "good", words: "asks for work" }
  if (inFlight > 0) return { tone: "info", words: "works, does not ask" }
  return { tone: "warn", words: lastSeenAt === undefined ? "not seen" : `last seen ${durationText(ago)} ago` }
}
