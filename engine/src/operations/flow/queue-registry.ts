// All queues in memory: which number a job carries, and which numbers a worker may claim.

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

export class QueueRegistry {
  readonly #db: Database
  readonly #ids = new Map<string, number>()
  readonly #byId = new Map<number, Queue>()
  readonly #byJobType = new Map<string, Queue[]>()

  readonly #polled = new Set<string>()
  /** Queues that are being made just now. */
  readonly #making = new Map<string, Promise<void>>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Remembers that a worker asked for these types. The pulse writes it down, so that `waiting` can say whether a type is polled. */
  notePoll(jobTypes: readonly string[]): void {
    for (const jobType of jobTypes) this.#polled.add(jobType)
  }

  takePolled(): number[] {
    const queues = this.ofTypes([...this.#polled])
    this.#polled.clear()
    return queues.map(({ id }) => id)
  }

  get size(): number {
    return this.#byId.size
  }

  /** Reads them all: there are few, and a number given out late may be below one that is known. Returns the job types that are new. */
  async refresh(): Promise<string[]> {
    const rows = await listQueues(this.#db, 0)
    return rows.filter((row) => !this.#byId.has(row.id)).map((row) => this.#add(row))
  }

  /** Makes the queues that are missing; afterwards `idOf` knows them all. A flood into a new queue makes it once. */
  async ensure(keys: readonly QueueKey[]): Promise<void> {
    const missing = new Map(keys.filter((key) => !this.#ids.has(nameOf(key))).map((key) => [nameOf(key), key]))
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
    await ensureQueues(this.#db, keys)
    await this.refresh()
  }

  idOf(key: QueueKey): number {
    const id = this.#ids.get(nameOf(key))
    assert(id !== undefined, `queue of ${key.jobType} is known`)
    return id
  }

  knows(key: QueueKey): boolean {
    return this.#ids.has(nameOf(key))
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

  #add(row: QueueRow): string {
    const queue: Queue = {
      id: row.id,
      priority: row.priority,
      jobType: row.job_type,
      definitionId: row.definition_id,
      downstream: row.downstream,
      isFair: row.is_fair,
    }
    this.#byId.set(row.id, queue)
    this.#ids.set(nameOf(queue), row.id)
    this.#byJobType.set(queue.jobType, [...(this.#byJobType.get(queue.jobType) ?? []), queue])
    return queue.jobType
  }
}

export const queuesOf = perKernel((kernel) => new QueueRegistry(kernel.db.aside))
