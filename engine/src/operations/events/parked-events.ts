// What an operator does about events that a sink did not take: look at them, replay or discard one, or all that match.
import type { Transaction } from "../../db/transaction.ts"
import { wireId } from "../../store/events/events.ts"
import {
  countParked,
  discardMatching,
  findParked,
  listParked,
  type OneSink,
  type ParkedFilter,
  type ParkedRow,
  replayMatching,
  replayParked,
} from "../../store/events/operator-parked.ts"
import { noteEvents } from "../../store/events/operator-sinks.ts"
import { deleteParked } from "../../store/events/parked-events.ts"
import { lockSink } from "../../store/events/sinks.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import { conflict, notFound } from "../../support/errors.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Operator } from "../flow/change-live.ts"
import { cutPage, readCursor } from "../kernel/cursor.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { relaysOf } from "./relays.ts"

export interface ParkedEventView {
  readonly id: string
  readonly sink: string
  readonly type: string
  readonly key?: string
  readonly reason: string
  /** How often it was tried. */
  readonly attempts: number
  readonly publishedAt: string
  readonly parkedAt: string
  /** When it is tried again by itself. */
  readonly nextAt?: string
  /** The event was never sent, because an earlier one of its key is parked. */
  readonly isBehind: boolean
}

interface Page {
  readonly cursor?: string | undefined
  readonly pageSize: number
}

/** Sink by sink, in the order of publishing. */
export async function listParkedEvents(kernel: Kernel, filter: ParkedFilter, { cursor, pageSize }: Page) {
  const after = cursor === undefined ? START : readCursor(cursor, parsePlace)
  const rows = await listParked(kernel.db, filter, { ...after, limit: pageSize + 1 })
  const { shown, next } = cutPage(rows, pageSize, ({ sink, seq }) => `${seq} ${sink}`)
  return { items: shown.map(viewOf), ...next }
}

const START = { afterSink: "", afterSeq: 0 }

function parsePlace(text: string): typeof START | undefined {
  const [, seq, afterSink] = /^(\d{1,15}) ([A-Za-z0-9_:.-]{1,200})$/.exec(text) ?? []
  return afterSink === undefined ? undefined : { afterSink, afterSeq: Number(seq) }
}

const viewOf = (row: ParkedRow): ParkedEventView => ({
  id: wireId(row),
  sink: row.sink,
  type: row.type,
  ...(row.key === null ? {} : { key: row.key }),
  reason: row.reason,
  attempts: row.attempts,
  publishedAt: isoTime(row.created_at),
  parkedAt: isoTime(row.parked_at),
  ...(row.next_at === null ? {} : { nextAt: isoTime(row.next_at) }),
  isBehind: row.is_behind,
})

/** An event as it is on the wire, and the sink that did not take it. */
export interface ParkedEvent {
  readonly sink: string
  readonly id: string
}

/** The event is sent again at once, with all its tries. If the sink takes it, the later events of its key follow. */
export const replayEvent = (kernel: Kernel, operator: Operator, event: ParkedEvent): Promise<Done<ParkedEvent>> =>
  change(kernel, { ...operator, sink: event.sink }, async (tx) => {
    const { seq, is_behind } = await mustBeParked(tx, event)
    if (is_behind) throw conflict("an earlier event of its key is parked: replay or discard that one first")
    replayParked(tx, event.sink, seq)
    noteEvents(tx, { actor: operator.actor, kind: "event-replayed", name: nameOf(event), detail: {} })
    return event
  })

/** This sink will never be sent it; those behind it follow. */
export const discardEvent = (kernel: Kernel, operator: Operator, event: ParkedEvent): Promise<Done<void>> =>
  change(kernel, { ...operator, sink: event.sink }, async (tx) => {
    const { seq } = await mustBeParked(tx, event)
    deleteParked(tx, event.sink, seq)
    noteEvents(tx, { actor: operator.actor, kind: "event-discarded", name: nameOf(event), detail: {} })
  })

const nameOf = ({ sink, id }: ParkedEvent): string => `${sink} ${id}`

async function mustBeParked(tx: Transaction, { sink, id }: ParkedEvent) {
  const [ulid = ""] = id.split("-")
  const found = await findParked(tx, sink, ulid)
  if (!found) throw notFound(`no event ${id.slice(0, 64)} is parked for the sink ${sink.slice(0, 200)}`)
  return found
}

export interface ParkedChange {
  readonly filter: OneSink
  /** Only counts the events that would be changed. */
  readonly dryRun: boolean
}

export interface ParkedChanged {
  readonly dryRun: boolean
  readonly matched: number
  /** Fewer than match where there are too many for one call: it may be made again. */
  readonly changed: number
}

/** A transaction of so many rows is over in a second. */
const AT_ONCE = 10_000

/** Replays the events that no earlier one of their key keeps back. The others follow them. */
export const replayEvents = (kernel: Kernel, operator: Operator, { filter, dryRun }: ParkedChange) =>
  change(kernel, { ...operator, sink: filter.sink }, async (tx): Promise<ParkedChanged> => {
    const { first: matched } = await countParked(tx, filter)
    if (dryRun) return { dryRun, matched, changed: 0 }
    const changed = await replayMatching(tx, filter, AT_ONCE)
    const { sink: name, ...detail } = filter
    noteEvents(tx, { actor: operator.actor, kind: "events-replayed", name, detail: { ...detail, changed } })
    return { dryRun, matched, changed }
  })

export const discardEvents = (kernel: Kernel, operator: Operator, { filter, dryRun }: ParkedChange) =>
  change(kernel, { ...operator, sink: filter.sink }, async (tx): Promise<ParkedChanged> => {
    const { total: matched } = await countParked(tx, filter)
    if (dryRun) return { dryRun, matched, changed: 0 }
    const changed = await discardMatching(tx, filter, AT_ONCE)
    const { sink: name, ...detail } = filter
    noteEvents(tx, { actor: operator.actor, kind: "events-discarded", name, detail: { ...detail, changed } })
    return { dryRun, matched, changed }
  })

/** Under the lock of the sink: what its relay is just writing down about the same key is seen, or waits. */
function change<T>(
  kernel: Kernel,
  { requestKey, sink }: Operator & { readonly sink: string },
  act: (tx: Transaction) => Promise<T>,
): Promise<Done<T>> {
  return kernel.db.transaction((tx) =>
    once(tx, requestKey, async () => {
      const [, atSeq] = await Promise.all([setLockTimeout(tx), lockSink(tx, sink)])
      if (atSeq === undefined) throw notFound(`there is no sink ${sink.slice(0, 200)}`)
      tx.afterCommit(() => relaysOf(kernel).wake())
      return act(tx)
    }),
  )
}
