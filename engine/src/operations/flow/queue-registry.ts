// All queues in memory: which number a job carries, and which numbers a worker may claim.
//
// A queue that nothing uses any more is retired by housekeeping, and removed a month later. In between it is claimed from as ever;
// only an enqueue must ensure it again, which brings it back. A process that has not heard of the retirement yet may enqueue all the
// same: the job is claimed, and housekeeping finds it before it removes anything. So a number is wrong only in a process that has
// heard nothing for a month, and one that has heard nothing for an hour trusts none of its numbers. Nor does one whose connection has
// broken: a server that took over may not have heard of the newest queues, and may give their numbers to others.

import type { Database } from "../../db/database.ts"
import { ensureQueues, listQueues, type QueueKey, type QueueRow } from "../../store/flow/queues.ts"
import { assert } from "../../support/assert.ts"
import { perKernel } from "../kernel/kernel.ts"

/** A queue with its number. */
export interface Queue extends QueueKey {
  readonly id: number
  readonly isFair: boolean
}

const nameOf = ({ priority, jobType, definitionId, downstream, isFair = false }: QueueKey): string =>
  `${jobType}\n${priority}\n${definitionId}\n${downstream}\n${isFair}`

/** How long the numbers hold after the last word from the database. */
const TRUSTED_MS = 3_600_000

export class QueueRegistry {
  readonly #db: Database
  readonly #nowMs: () => number
  #ids = new Map<string, number>()
  #byId = new Map<number, Queue>()
  #byJobType = new Map<string, Queue[]>()
  #retired = new Set<number>()
  #mark = 0
  #heardAtMs = Number.NEGATIVE_INFINITY
  /** How often connections to the database had broken before the queues were last read. */
  #breaks = 0

  readonly #polled = new Set<string>()
  /** Queues that this process has asked for before. */
  readonly #asked = new Set<number>()
  /** Queues that are being made just now. */
  readonly #making = new Map<string, Promise<void>>()

  constructor(db: Database, nowMs: () => number = Date.now) {
    this.#db = db
    this.#nowMs = nowMs
  }

  /**
   * Remembers that a worker asked for these types. The pulse writes it down, so that `waiting` can say whether a type is polled. Returns
   * the queues that are asked for the first time.
   */
  notePoll(jobTypes: readonly string[]): readonly number[] {
    for (const jobType of jobTypes) this.#polled.add(jobType)
    const fresh = this.ofTypes(jobTypes).flatMap(({ id }) => (this.#asked.has(id) ? [] : [id]))
    for (const id of fresh) this.#asked.add(id)
    return fresh
  }

  takePolled(): number[] {
    const queues = this.ofTypes([...this.#polled])
    this.#polled.clear()
    return queues.map(({ id }) => id)
  }

  /** The pulse tells the mark of all queues: where it is another one they are read. Returns the job types that are new. */
  async follow(mark: number): Promise<string[]> {
    if (mark !== this.#mark || this.#db.breaks !== this.#breaks) return this.refresh()
    this.#heardAtMs = this.#nowMs()
    return []
  }

  /** Reads them all: there are few, and a number given out late may be below one that is known. Returns the job types that are new. */
  async refresh(): Promise<string[]> {
    const [askedAtMs, breaks] = [this.#nowMs(), this.#db.breaks]
    const rows = await listQueues(this.#db.aside)
    const known = this.#byId
    this.#ids = new Map()
    this.#byId = new Map()
    this.#byJobType = new Map()
    this.#retired = new Set(rows.flatMap((row) => (row.is_retired ? [row.id] : [])))
    this.#mark = rows.reduce((sum, row) => sum + row.mark, 0)
    this.#heardAtMs = askedAtMs
    this.#breaks = breaks
    for (const row of rows) this.#add(sameQueue(known.get(row.id), queueOf(row)))
    return rows.filter((row) => !known.has(row.id)).map((row) => row.job_type)
  }

  /** Makes the queues that are missing; afterwards `idOf` knows them all. A flood into a new queue makes it once. */
  async ensure(keys: readonly QueueKey[]): Promise<void> {
    const missing = new Map(keys.filter((key) => !this.knows(key)).map((key) => [nameOf(key), key]))
    const fresh = [...missing].filter(([name]) => !this.#making.has(name))
    if (fresh.length > 0) {
      const made = this.#make(fresh.map(([, key]) => key))
      for (const [name] of fresh) this.#making.set(name, made)
      const forget = () => {
        for (const [name] of fresh) this.#making.delete(name)
      }
      made.then(forget, forget)
    }
    await Promise.all([...missing.keys()].map((name) => this.#making.get(name)))
  }

  async #make(keys: readonly QueueKey[]): Promise<void> {
    await ensureQueues(this.#db.aside, keys)
    await this.refresh()
  }

  idOf(key: QueueKey): number {
    const id = this.#ids.get(nameOf(key))
    assert(id !== undefined, `queue of ${key.jobType} is known`)
    return id
  }

  /** Where a job may go without asking the database first. */
  numberOf(key: QueueKey): number | undefined {
    const id = this.#ids.get(nameOf(key))
    if (id === undefined || this.#retired.has(id)) return undefined
    return this.#nowMs() - this.#heardAtMs < TRUSTED_MS && this.#db.breaks === this.#breaks ? id : undefined
  }

  knows(key: QueueKey): boolean {
    return this.numberOf(key) !== undefined
  }

  of(id: number): Queue | undefined {
    return this.#byId.get(id)
  }

  get all(): readonly Queue[] {
    return [...this.#byId.values()]
  }

  ofTypes(jobTypes: readonly string[]): readonly Queue[] {
    return jobTypes.flatMap((jobType) => this.#byJobType.get(jobType) ?? [])
  }

  /** The queues of these ids that this process knows: another process may have made one just now. */
  known(ids: readonly number[]): readonly Queue[] {
    return [...new Set(ids)].flatMap((id) => this.#byId.get(id) ?? [])
  }

  #add(queue: Queue): void {
    this.#byId.set(queue.id, queue)
    this.#ids.set(nameOf(queue), queue.id)
    this.#byJobType.set(queue.jobType, [...(this.#byJobType.get(queue.jobType) ?? []), queue])
  }
}

const queueOf = (row: QueueRow): Queue => ({
  id: row.id,
  priority: row.priority,
  jobType: row.job_type,
  definitionId: row.definition_id,
  downstream: row.downstream,
  isFair: row.is_fair,
})

/** The object that is known stays, as long as its number means the same queue. */
const sameQueue = (known: Queue | undefined, read: Queue): Queue =>
  known && nameOf(known) === nameOf(read) ? known : read

export const queuesOf = perKernel((kernel) => new QueueRegistry(kernel.db))
