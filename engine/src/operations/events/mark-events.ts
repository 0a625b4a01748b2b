// Writes down what became of events that were sent: one transaction, under the leader's term and the lock of the sink's row.
import type { Transaction } from "../../db/transaction.ts"
import { delayOf, type Move, type Parking, stopOf, type Verdict } from "../../model/events/plan-move.ts"
import type { EventRow } from "../../store/events/events.ts"
import {
  type DueRow,
  deleteParked,
  insertParked,
  type NewParked,
  postponeParked,
} from "../../store/events/parked-events.ts"
import { lockSink, moveSink, stopSink } from "../../store/events/sinks.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"

interface NewMark {
  readonly sink: string
  /** Where the sink was when the events were read. */
  readonly fromSeq: number
  readonly move: Move
  readonly events: readonly EventRow[]
}

/** Nothing where the sink has been moved or removed meanwhile. */
export async function markMove(kernel: Kernel, proveTerm: ProveTerm, mark: NewMark): Promise<void> {
  const { sink, fromSeq, move, events } = mark
  await kernel.db.transaction(async (tx) => {
    const [, atSeq] = await Promise.all([proveTerm(tx), lockSink(tx, sink)])
    if (atSeq !== fromSeq) return
    if (move.toSeq > fromSeq) moveSink(tx, sink, move.toSeq)
    if (move.parked.length > 0) insertParked(tx, sink, parkedRows(move.parked, events))
    if (move.stopped !== undefined) stopSink(tx, sink, move.stopped)
  })
}

function parkedRows(parked: readonly Parking[], events: readonly EventRow[]): NewParked[] {
  const bySeq = new Map(events.map((event) => [event.seq, event]))
  return parked.map(({ seq, reason, attempts, delayMs, behind }) => ({
    seq,
    event_id: bySeq.get(seq)?.id ?? "",
    key: bySeq.get(seq)?.key ?? null,
    reason,
    attempts,
    delay_ms: delayMs,
    is_behind: behind !== null,
    has_head: behind === "batch",
  }))
}

interface DueMark {
  readonly sink: string
  readonly due: readonly DueRow[]
  readonly verdicts: ReadonlyMap<number, Verdict>
  readonly tries: number
}

/** False when the sink takes nothing at the moment. */
export function markDue(
  kernel: Kernel,
  proveTerm: ProveTerm,
  { sink, due, verdicts, tries }: DueMark,
): Promise<boolean> {
  return kernel.db.transaction(async (tx) => {
    await Promise.all([proveTerm(tx), lockSink(tx, sink)])
    for (const row of due) {
      const verdict = verdicts.get(row.seq) ?? { kind: "unknown" }
      if (verdict.kind === "retry" || verdict.kind === "unknown") {
        stopSink(tx, sink, stopOf(verdict))
        return false
      }
      markOne(tx, { sink, row, verdict, tries })
    }
    return true
  })
}

interface OneMark {
  readonly sink: string
  readonly row: DueRow
  readonly verdict: Verdict
  readonly tries: number
}

function markOne(tx: Transaction, { sink, row, verdict, tries }: OneMark): void {
  if (verdict.kind === "sent") return deleteParked(tx, sink, row.seq)
  const attempts = row.attempts + 1
  const delayMs = delayOf(verdict, attempts, tries)
  postponeParked(tx, { sink, seq: row.seq, attempts, reason: verdict.reason ?? "", delayMs })
}
