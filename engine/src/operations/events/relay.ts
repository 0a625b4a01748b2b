// Sends the events of the outbox to one sink, in order and at least once. Only the leader of the sink does, outside of any transaction.
// The position moves after the sink has answered: a crash in between sends the same events again, with the same ids.
import { type Horizon, NOTHING_SETTLED, seeFurther } from "../../model/events/horizon.ts"
import { type Move, planMove, type Verdict } from "../../model/events/plan-move.ts"
import { type EventRow, listEvents, sightEvents } from "../../store/events/events.ts"
import { type DueRow, listDue } from "../../store/events/parked-events.ts"
import { findSink } from "../../store/events/sinks.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { Looks } from "./looks.ts"
import { markDue, markMove } from "./mark-events.ts"
import { sendEvents } from "./send-events.ts"
import type { Sink } from "./sink.ts"

export interface RelayOptions {
  /** All, unless some are named. */
  readonly types?: readonly string[]
  /** How often an event that failed is tried before it waits for an operator. */
  readonly tries?: number
  /** The most events that are sent at once. */
  readonly batchMax?: number
}

const TRIES = 8
const BATCH_MAX = 100
/** While there is more than a batch, a sink that takes many is sent several at once, as long as they are small. */
const MOST_BATCHES = 10
const MOST_BYTES = 8_000_000
/** How often in a round the next events are read while some are sent. */
const MOST_AHEAD = 20

/** What is there for a sink, as one look at the database shows it. */
interface Found {
  readonly fromSeq: number
  /** Parked ones whose time has come. */
  readonly due: readonly DueRow[]
  /** Settled and in order; those of parked keys are among them. */
  readonly events: readonly EventRow[]
  /** Where the sink is once these are done. */
  readonly toSeq: number
  readonly isMore: boolean
}

interface Sent {
  readonly verdicts: ReadonlyMap<number, Verdict>
  /** Undefined where the next round has to look for itself. */
  readonly next: Found | undefined
}

export class Relay {
  readonly looks = new Looks()
  readonly #kernel: Kernel
  readonly #sink: Sink
  readonly #types: readonly string[] | null
  readonly #tries: number
  readonly #batchMax: number
  #horizon: Horizon = NOTHING_SETTLED
  #limit: number
  #isClosed = false

  constructor(kernel: Kernel, sink: Sink, { types, tries = TRIES, batchMax = BATCH_MAX }: RelayOptions = {}) {
    this.#kernel = kernel
    this.#sink = sink
    this.#types = types ?? null
    this.#tries = tries
    this.#batchMax = batchMax
    this.#limit = batchMax
  }

  get sinkName(): string {
    return this.#sink.name
  }

  /** A place up to this one may still belong to a transaction that is open: nothing tells of its commit. */
  mayMiss(lastSeq: number): boolean {
    return this.#horizon.settledSeq < lastSeq
  }

  /** A batch of parked events that are due, or else new ones. True when there may be more. */
  async round(proveTerm: ProveTerm): Promise<boolean> {
    const found = await this.#look()
    if (!found) return false
    if (found.due.length > 0) return this.#sendDue(proveTerm, found.due)
    if (found.toSeq <= found.fromSeq) return false
    const isMore = await this.#sendNew(proveTerm, found)
    this.looks.extend()
    return isMore
  }

  /** What is under way may finish; the rest is for the process that leads next. */
  close(): Promise<void> {
    this.#isClosed = true
    return this.#sink.close()
  }

  /**
   * Undefined while the sink rests after a failure. One round trip: the sighting is asked for first, and the events last.
   * `aheadOf`: where the sink will be when what is being sent is done.
   */
  async #look(aheadOf: number | null = null): Promise<Found | undefined> {
    const { sinkName: sink } = this
    const limit = this.#limit
    const [sighting, row, due, events] = await this.#kernel.db.transaction((tx) =>
      Promise.all([
        sightEvents(tx),
        findSink(tx, sink),
        listDue(tx, sink, limit),
        listEvents(tx, { sink, types: this.#types, limit, aheadOf }),
      ]),
    )
    this.#horizon = seeFurther(this.#horizon, sighting)
    if (!row || row.rests) return undefined
    const { settledSeq } = this.#horizon
    const isCut = events.length === limit
    this.#limit = isCut && this.#sink.takesMany ? manyOf(events, this.#batchMax) : this.#batchMax
    const lastSeq = events.at(-1)?.seq ?? settledSeq
    return {
      fromSeq: aheadOf ?? row.after_seq,
      due,
      events: events.filter(({ seq }) => seq <= settledSeq),
      toSeq: isCut ? Math.min(settledSeq, lastSeq) : settledSeq,
      isMore: isCut,
    }
  }

  /** While there is more, the next events are read and those before are marked during the sending: neither is waited for alone. */
  async #sendNew(proveTerm: ProveTerm, first: Found): Promise<boolean> {
    let found: Found | undefined = first
    let isMore = false
    let marking = Promise.resolve()
    for (let left = MOST_AHEAD; found; left--) {
      const sending = this.#sendAndReadOn(found, left > 0)
      // Where a mark fails, what is being sent ends first: a sink has one call at a time.
      await marking.finally(() => sending)
      const { verdicts, next } = await sending
      const move = this.#plan(found, verdicts)
      marking = markMove(this.#kernel, proveTerm, { sink: this.sinkName, move, ...found })
      isMore = found.isMore && move.toSeq === found.toSeq && !this.#isClosed
      // Which of the next events are behind one that is parked now, only a new look can tell.
      found = move.parked.length === 0 && isMore ? next : undefined
    }
    await marking
    return isMore
  }

  async #sendAndReadOn({ events, toSeq, isMore }: Found, mayRead: boolean): Promise<Sent> {
    const [verdicts, next] = await Promise.all([
      this.#send(events.filter((event) => !event.is_behind)),
      isMore && mayRead ? this.#look(toSeq).catch(() => undefined) : undefined,
    ])
    const isNew = next && next.due.length === 0 && next.toSeq > next.fromSeq
    return { verdicts, next: isNew ? next : undefined }
  }

  #plan({ events, fromSeq, toSeq }: Found, verdicts: ReadonlyMap<number, Verdict>): Move {
    const read = events.map(({ seq, key, is_behind }) => ({ seq, key, isBehind: is_behind }))
    const { stopped, ...done } = planMove({ events: read, verdicts, fromSeq, toSeq, tries: this.#tries })
    // A sink that was closed under way is no failure of the sink.
    return stopped === undefined || this.#isClosed ? done : { ...done, stopped }
  }

  async #sendDue(proveTerm: ProveTerm, due: readonly DueRow[]): Promise<boolean> {
    const verdicts = await this.#send(due)
    if (this.#isClosed) return false
    return markDue(this.#kernel, proveTerm, { sink: this.sinkName, due, verdicts, tries: this.#tries })
  }

  async #send(events: readonly EventRow[]): Promise<ReadonlyMap<number, Verdict>> {
    const verdicts = await sendEvents(this.#sink, events)
    const counts = new Map<string, number>()
    for (const { kind } of verdicts.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    for (const [outcome, n] of counts) this.#kernel.metrics.eventsSent.inc({ sink: this.sinkName, outcome }, n)
    return verdicts
  }
}

/** How many events to send at once when there are more than these. */
function manyOf(events: readonly EventRow[], batchMax: number): number {
  const bytes = events.reduce((sum, { payload }) => sum + payload.length, 0)
  const most = Math.floor((MOST_BYTES / Math.max(1, bytes)) * events.length)
  return Math.max(batchMax, Math.min(MOST_BATCHES * batchMax, most))
}
