// All queues in memory: which number a job carries, and which numbers a worker may claim.
import type { Database } from "../db/database.ts"
import { ensureQueues, listQueues, type QueueKey, type QueueRow } from "../store/queues.ts"
import { assert } from "../support/assert.ts"

const nameOf = ({ priority, jobType, definitionId, downstream }: QueueKey): string =>
  `${jobType}\n${priority}\n${definitionId}\n${downstream}`

export class QueueRegistry {
  readonly #db: Database
  readonly #ids = new Map<string, number>()
  readonly #byId = new Map<number, QueueKey>()
  readonly #byJobType = new Map<string, number[]>()

  readonly #polled = new Set<string>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Remembers that somebody asked for these types; the pulse writes it down, for `waiting` to tell. */
  notePoll(jobTypes: readonly string[]): void {
    for (const jobType of jobTypes) this.#polled.add(jobType)
  }

  takePolled(): number[] {
    const ids = this.idsOfTypes([...this.#polled])
    this.#polled.clear()
    return ids
  }

  get size(): number {
    return this.#byId.size
  }

  /** Reads them all: there are few, and a number given out late may be below one that is known. Returns the job types that are new. */
  async refresh(): Promise<string[]> {
    const rows = await listQueues(this.#db, 0)
    return rows.filter((row) => !this.#byId.has(row.id)).map((row) => this.#add(row))
  }

  /** Makes the queues that are missing; afterwards `idOf` knows them all. */
  async ensure(keys: readonly QueueKey[]): Promise<void> {
    const missing = keys.filter((key) => !this.#ids.has(nameOf(key)))
    if (missing.length === 0) return
    const distinct = [...new Map(missing.map((key) => [nameOf(key), key])).values()]
    await ensureQueues(this.#db, distinct)
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

  of(id: number): QueueKey | undefined {
    return this.#byId.get(id)
  }

  idsOfTypes(jobTypes: readonly string[]): number[] {
    return jobTypes.flatMap((jobType) => this.#byJobType.get(jobType) ?? [])
  }

  #add(row: QueueRow): string {
    const key: QueueKey = {
      priority: row.priority,
      jobType: row.job_type,
      definitionId: row.definition_id,
      downstream: row.downstream,
    }
    this.#byId.set(row.id, key)
    this.#ids.set(nameOf(key), row.id)
    this.#byJobType.set(key.jobType, [...(this.#byJobType.get(key.jobType) ?? []), row.id])
    return key.jobType
  }
}
