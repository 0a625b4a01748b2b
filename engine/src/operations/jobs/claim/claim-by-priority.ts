// One claim over several priorities: each round deals the free slots to the priorities by weight, reads the queues, and deals again what a
// priority did not have. Of a downstream it takes no more than its pace allows (`#readPaced`). Plain jobs that are taken in large numbers
// are packed (`#readPacks`); all others are leased row by row.

import type { Transaction } from "../../../db/transaction.ts"
import { PRIORITIES, type Priority } from "../../../model/definitions/definition.ts"
import { leaseLengths } from "../../../model/jobs/lease-lengths.ts"
import { LEASE_MS } from "../../../model/jobs/standalone-job.ts"
import {
  type ClaimedRow,
  claimFairJobs,
  claimJobs,
  type Query,
  type QueueAsk,
  rangesOf,
  type SeqRange,
  type Slot,
  spendPaces,
  spendPacesNow,
} from "../../../store/jobs/claims.ts"
import { claimPacks, type PackedClaim } from "../../../store/jobs/packs.ts"
import {
  type Allowances,
  countByDownstream,
  lockAllowances,
  spendingsOf,
  takeAllowance,
} from "../../flow/allowances.ts"
import { liveSettingsOf } from "../../flow/live-settings.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import type { Queue } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { lowWaterOf } from "./low-water.ts"
import { packingOf } from "./packing.ts"
import { type Stream, streamsOf } from "./streams.ts"

interface Ask {
  readonly stream: Stream
  readonly quota: number
}

/** How one round went for one stream. */
interface Answer {
  readonly ask: Ask
  /** How many rows were asked for: fewer than the quota where a downstream can take no more. */
  readonly asked: number
  /** The queues that were read for them. */
  readonly queues: readonly Queue[]
  readonly rows: readonly ClaimedRow[]
}

export interface TakenSlot {
  readonly row: ClaimedRow
  readonly slot: Slot
}

export interface ClaimResult {
  readonly taken: readonly TakenSlot[]
  /** Queues that had nothing more. */
  readonly emptied: readonly Queue[]
  /** Where they lay in their queues. */
  readonly ranges: readonly SeqRange[]
}

interface ClaimAsk {
  readonly jobTypes: readonly string[]
  readonly slots: readonly Slot[]
  /** A claim that waits is woken by new work. One that does not wait looks into quiet queues too, if it has slots left. */
  readonly waits: boolean
  /** In this transaction, and without an end of the leases. */
  readonly endlessIn?: Transaction
}

export async function claimByPriority(kernel: Kernel, ask: ClaimAsk): Promise<ClaimResult> {
  const { jobTypes, waits, endlessIn } = ask
  const { lively, quiet } = openQueuesOf(kernel).worthALook(jobTypes)
  const claim = new PriorityClaim(kernel, ask)
  try {
    await claim.read(lively)
    if (!waits) await claim.read(quiet)
  } catch (error) {
    // What earlier rounds have leased is given to the caller, unless it is rolled back with this one.
    if (claim.taken.length === 0 || endlessIn) throw error
    kernel.log.warn({ err: error }, "a claim failed in the middle; it goes on with what it has")
  }
  return claim
}

class PriorityClaim implements ClaimResult {
  readonly taken: TakenSlot[] = []
  readonly emptied: Queue[] = []
  readonly ranges: SeqRange[] = []
  readonly #kernel: Kernel
  readonly #jobTypes: readonly string[]
  readonly #free: Slot[]
  readonly #endlessIn: Transaction | undefined
  readonly #slotsPerWorker: number
  /** Downstreams that can take no more. */
  readonly #exhausted = new Set<string>()
  #streams: Stream[] = []

  constructor(kernel: Kernel, { jobTypes, slots, endlessIn }: ClaimAsk) {
    this.#kernel = kernel
    this.#jobTypes = jobTypes
    this.#free = [...slots]
    this.#endlessIn = endlessIn
    this.#slotsPerWorker = slots.length / new Set(slots.map(({ workerId }) => workerId)).size
  }

  get #isEndless(): boolean {
    return this.#endlessIn !== undefined
  }

  async read(queues: readonly Queue[]): Promise<void> {
    this.#streams = streamsOf(queues)
    while (this.#free.length > 0 && this.#streams.length > 0) await this.#round()
  }

  async #round(): Promise<void> {
    const live = liveSettingsOf(this.#kernel)
    const shares = openQueuesOf(this.#kernel).sharesFor(this.#jobTypes)
    const priorities = PRIORITIES.filter((priority) => this.#streams.some((stream) => stream.priority === priority))
    const picks = shares.deal(this.#free.length, priorities, live.weights)
    const asks = [...picks].flatMap(([priority, count]) => this.#split(priority, count))
    const answers = await this.#ask(asks)
    for (const answer of answers) this.#take(answer)
    shares.settle(this.#countByPriority(priorities, answers), priorities, live.weights)
  }

  /** The streams of a priority alike; which one gets the odd slot changes from claim to claim. */
  #split(priority: Priority, count: number): Ask[] {
    const streams = this.#streams.filter((stream) => stream.priority === priority)
    const first = openQueuesOf(this.#kernel).nextTurn() % streams.length
    return streams.flatMap((stream, at) => {
      const place = (at + streams.length - first) % streams.length
      const quota = Math.floor((count + streams.length - 1 - place) / streams.length)
      return quota > 0 ? [{ stream, quota }] : []
    })
  }

  async #ask(asks: readonly Ask[]): Promise<Answer[]> {
    const { db } = this.#kernel
    const openQueues = openQueuesOf(this.#kernel)
    const queues = asks.flatMap(({ stream }) => stream.queues)
    const paced = queues.filter((queue) => openQueues.isPaced(queue))
    const own = this.#endlessIn
    const query: Query = (statement, values) => (own ? own.read(statement, values) : db.query(statement, values))
    if (paced.length === 0) return this.#read(query, asks)
    const names = [...new Set(paced.map(({ downstream }) => downstream))]
    if (own) return this.#readPaced(own, asks, names)
    const kept = this.taken.length
    return db
      .transaction((tx) => this.#readPaced(tx, asks, names))
      .catch((error) => {
        // Rolled back with the paces: nothing of it is leased.
        this.taken.length = kept
        throw error
      })
  }

  /** The downstreams are locked while they are counted, so that the pace holds over all processes. */
  async #readPaced(tx: Transaction, asks: readonly Ask[], names: readonly string[]): Promise<Answer[]> {
    const allowances = await lockAllowances(tx, { names, isDurable: this.#isEndless }, this.#free.length)
    const answers = await this.#read((statement, values) => tx.read(statement, values), asks, allowances)
    const rows = answers.flatMap((answer) => answer.rows)
    const spent = countByDownstream(this.#kernel, rows)
    if (this.#isEndless) await spendPacesNow(tx, spendingsOf(allowances, spent))
    else spendPaces(tx, spendingsOf(allowances, spent))
    for (const [name, { count }] of allowances) if ((spent.get(name) ?? 0) >= count) this.#exhausted.add(name)
    tx.afterCommit(() => {
      for (const [name, { count, againMs }] of allowances) {
        if ((spent.get(name) ?? 0) >= count) openQueuesOf(this.#kernel).rest(name, againMs)
      }
    })
    return answers
  }

  async #read(query: Query, asks: readonly Ask[], allowances: Allowances = new Map()): Promise<Answer[]> {
    const left = new Map([...allowances].map(([name, { count }]) => [name, count]))
    const plain = asks.filter(({ stream }) => !stream.isFair)
    const fair = asks.filter(({ stream }) => stream.isFair)
    const answers = [
      ...(plain.length > 0 ? [this.#readPlain(query, plain, left)] : []),
      ...fair.map((ask) => this.#readFair(query, ask, left)),
    ]
    return (await allOver(answers)).flat()
  }

  async #readPlain(query: Query, asks: readonly Ask[], left: Map<string, number>): Promise<Answer[]> {
    const wanted = asks.flatMap((ask) => this.#queueAsks(ask, left))
    const packable = new Map(wanted.flatMap((ask) => (ask.mayPack ? [[ask.queueId, ask]] : [])))
    const { rows: packed, rest } = await this.#readPacks(query, [...packable.values()])
    const others = asks.filter(({ stream }) => !stream.queues.some(({ id }) => packable.has(id)))
    const places = sum([...others, ...rest].map(({ quota }) => quota))
    const leased = await this.#readRows(query, [...wanted.filter((ask) => !ask.mayPack), ...rest], places)
    const rows = [...packed, ...leased]
    return asks.map((ask) => {
      const quotas = new Map(wanted.map(({ queueId, quota }) => [queueId, quota]))
      const queues = ask.stream.queues.filter(({ id }) => quotas.has(id))
      const asked = Math.min(ask.quota, sum(queues.map(({ id }) => quotas.get(id) ?? 0)))
      const ids = new Set(queues.map(({ id }) => id))
      return { ask, asked, queues, rows: rows.filter((row) => ids.has(row.queue_id)) }
    })
  }

  async #readRows(query: Query, wanted: readonly QueueAsk[], places: number): Promise<readonly ClaimedRow[]> {
    if (wanted.length === 0) return []
    const slots = this.#free.splice(0, places)
    const stepLeases = leaseLengths(this.#kernel.settings.leaseDefaultMs)
    const rows = await claimJobs(query, { asks: wanted, stepLeases, isEndless: this.#isEndless }, slots)
    this.#fill(rows, slots)
    this.ranges.push(...rangesOf(rows))
    return rows
  }

  /** Also tells what is left to be leased row by row, where jobs were met that are not plain. */
  async #readPacks(query: Query, asks: readonly QueueAsk[]): Promise<{ rows: ClaimedRow[]; rest: QueueAsk[] }> {
    const rows: ClaimedRow[] = []
    const rest: QueueAsk[] = []
    const reads = asks.map(async (ask) => {
      const slots = this.#free.splice(0, ask.quota)
      const runMs = ask.runMs ?? this.#kernel.settings.jobTimeoutMs
      const claim = await claimPacks(query, { ...ask, runMs }, slots)
      this.#fill(claim.rows, slots)
      rows.push(...claim.rows)
      rest.push(...this.#leftOf(ask, claim))
    })
    await allOver(reads)
    return { rows, rest }
  }

  #leftOf(ask: QueueAsk, { rows, passed, range }: PackedClaim): QueueAsk[] {
    if (range) this.ranges.push(range)
    packingOf(this.#kernel).learn(ask.queueId, { packed: rows.length, passed })
    const quota = ask.quota - rows.length
    return passed > 0 && quota > 0 ? [{ ...ask, quota, groupQuota: quota }] : []
  }

  #queueAsks({ stream, quota }: Ask, left: Map<string, number>): QueueAsk[] {
    return stream.queues.flatMap((queue) => {
      const allowed = takeAllowance(left, queue.downstream, quota)
      if (allowed === 0) return []
      const isStep = queue.definitionId !== ""
      return {
        queueId: queue.id,
        after: lowWaterOf(this.#kernel).after(queue.id),
        group: PRIORITIES.indexOf(stream.priority),
        quota: allowed,
        groupQuota: quota,
        hasNeighbours: stream.queues.length > 1,
        mayPack: !isStep && !this.#isEndless && stream.queues.length === 1 && this.#mayPack(queue, allowed),
        leaseMs: isStep ? this.#kernel.settings.leaseDefaultMs : LEASE_MS[stream.priority],
        runMs: isStep ? null : this.#runMs(queue),
        isStep,
      }
    })
  }

  #mayPack(queue: Queue, quota: number): boolean {
    return packingOf(this.#kernel).mayPack(queue, Math.min(quota, this.#slotsPerWorker))
  }

  #isOpen = (queue: Queue): boolean =>
    !this.#exhausted.has(queue.downstream) && openQueuesOf(this.#kernel).isOpen(queue)

  /** Read at each claim, so that an operator's word counts at once. */
  #runMs = ({ jobType }: Queue): number =>
    liveSettingsOf(this.#kernel).timeoutMs(jobType) ?? this.#kernel.settings.jobTimeoutMs

  async #readFair(query: Query, ask: Ask, left: Map<string, number>): Promise<Answer[]> {
    const [queue] = ask.stream.queues as [Queue]
    const quota = takeAllowance(left, queue.downstream, ask.quota)
    if (quota === 0) return [{ ask, asked: 0, queues: [], rows: [] }]
    const openQueues = openQueuesOf(this.#kernel)
    const slots = this.#free.splice(0, quota)
    const rows = await claimFairJobs(
      query,
      {
        queueId: queue.id,
        afterKey: openQueues.turnOf(queue.id).key,
        quota,
        aged: openQueues.agedOf(queue.id, quota),
        leaseMs: LEASE_MS[ask.stream.priority],
        runMs: this.#runMs(queue),
        isEndless: this.#isEndless,
      },
      slots,
    )
    this.#fill(rows, slots)
    const last = rows.reduce<ClaimedRow | undefined>((a, b) => (a && a.slot > b.slot ? a : b), undefined)
    if (last) openQueues.tookTurn(queue.id, last.fair_key ?? "", rows.length)
    return [{ ask, asked: quota, queues: [queue], rows }]
  }

  /** Slots that nothing fell into are free again. */
  #fill(rows: readonly ClaimedRow[], slots: readonly Slot[]): void {
    const filled = new Set<number>()
    for (const row of rows) {
      filled.add(row.slot - 1)
      this.taken.push({ row, slot: slots[row.slot - 1] as Slot })
    }
    this.#free.push(...slots.filter((_, at) => !filled.has(at)))
  }

  /**
   * A queue that gave fewer rows than asked has no more. If several queues were read together, we do not know which of them is empty, and
   * rows that another claim has locked may have been in front: each is read once more, alone. A fair queue may give fewer rows than it
   * has: it is over when it gives none.
   */
  #take({ ask: { stream, quota }, asked, queues, rows }: Answer): void {
    const isShort = stream.isFair ? rows.length === 0 && asked > 0 : rows.length < asked
    if (!isShort && asked === quota) return
    const left = stream.queues.filter((queue) => !(isShort && queues.includes(queue)) && this.#isOpen(queue))
    this.#streams = this.#streams.filter((other) => other !== stream)
    if (left.length > 0) this.#streams.push({ ...stream, queues: left })
    if (!isShort) return
    if (queues.length === 1) this.emptied.push(...queues)
    else this.#streams.push(...queues.map((queue) => ({ ...stream, queues: [queue] })))
  }

  #countByPriority(priorities: readonly Priority[], answers: readonly Answer[]) {
    return new Map(
      priorities.map((priority) => {
        const mine = answers.filter(({ ask }) => ask.stream.priority === priority)
        const got = sum(mine.map(({ rows }) => rows.length))
        // A priority with a stream left could have given what was asked of it.
        const hasMore = this.#streams.some((stream) => stream.priority === priority)
        return [priority, { asked: hasMore ? got : sum(mine.map(({ ask }) => ask.quota)), got }] as const
      }),
    )
  }
}

/** A claim that is under way when another fails leases jobs all the same: it is waited for, or they would stay leased without a worker. */
async function allOver<T>(reads: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(reads)
  const failed = settled.find((one) => one.status === "rejected")
  if (failed) throw failed.reason
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
