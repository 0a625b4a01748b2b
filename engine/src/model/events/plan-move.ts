// After a batch was sent: how far the sink has come, and which events are parked because it did not take them.

/** What a sink said of an event. */
export interface Verdict {
  readonly kind: "sent" | "refused" | "failed" | "retry" | "unknown"
  readonly reason?: string
  /** How long the sink has asked to be left alone, with this event or with all. */
  readonly retryAfterMs?: number
}

interface ReadEvent {
  readonly seq: number
  readonly key: string | null
  /** An earlier one of its key is parked: it was not sent. */
  readonly isBehind: boolean
}

export interface Parking {
  readonly seq: number
  readonly reason: string
  readonly attempts: number
  /** After which time it is tried again; null: when an operator says so, or the one before it has left. */
  readonly delayMs: number | null
  /** The event was not sent because an earlier one of its key is parked. "batch": in this batch; "before": before this batch. */
  readonly behind: "batch" | "before" | null
}

export interface Move {
  readonly toSeq: number
  readonly parked: readonly Parking[]
  /** The sink takes nothing at the moment: it goes on later from where it is. */
  readonly stopped?: Stop
}

export interface Stop {
  readonly reason: string
  /** The least time that it is left alone. */
  readonly restMs: number
}

export interface Batch {
  readonly events: readonly ReadEvent[]
  readonly verdicts: ReadonlyMap<number, Verdict>
  /** Where the sink is when all of it is done: beyond the last event where the others were not for this sink. */
  readonly fromSeq: number
  readonly toSeq: number
  /** How often an event is tried before it waits for an operator. */
  readonly tries: number
}

/** Events after the first that stops the sink are read again, and those that were sent are sent twice. */
export function planMove({ events, verdicts, fromSeq, toSeq, tries }: Batch): Move {
  const parked: Parking[] = []
  const keys = new Set<string>()
  let doneSeq = fromSeq
  for (const event of events) {
    const verdict = judge(event, keys, verdicts.get(event.seq))
    if (verdict.kind === "retry" || verdict.kind === "unknown")
      return { toSeq: doneSeq, parked, stopped: stopOf(verdict) }
    const parking = parkingOf(event.seq, verdict, tries)
    if (parking) parked.push(parking)
    if (parking && event.key !== null) keys.add(event.key)
    doneSeq = event.seq
  }
  return { toSeq, parked }
}

export const stopOf = ({ reason = UNSAID, retryAfterMs = 0 }: Verdict): Stop => ({ reason, restMs: retryAfterMs })

const UNSAID = "no reason given"
const BEHIND = "an earlier event of its key is parked"

type Judged = Verdict | { readonly kind: "batch" } | { readonly kind: "before" }

function judge({ key, isBehind }: ReadEvent, parkedKeys: ReadonlySet<string>, verdict: Verdict | undefined): Judged {
  if (key !== null && parkedKeys.has(key)) return { kind: "batch" }
  if (isBehind) return { kind: "before" }
  return verdict ?? { kind: "unknown", reason: "the sink has said nothing of it" }
}

function parkingOf(seq: number, judged: Judged, tries: number): Parking | undefined {
  if (judged.kind === "sent") return undefined
  if (judged.kind === "batch" || judged.kind === "before")
    return { seq, reason: BEHIND, attempts: 0, delayMs: null, behind: judged.kind }
  const { reason = UNSAID } = judged
  return { seq, reason, attempts: 1, delayMs: delayOf(judged, 1, tries), behind: null }
}

const LONGEST_MS = 60_000

/** After 1, 2, 4 … 60 s, or later where the sink says so; null when it was refused, or has been tried often enough. */
export function delayOf({ kind, retryAfterMs = 0 }: Verdict, attempts: number, tries: number): number | null {
  if (kind !== "failed" || attempts >= tries) return null
  return Math.max(retryAfterMs, Math.min(LONGEST_MS, 1_000 * 2 ** (attempts - 1)))
}
