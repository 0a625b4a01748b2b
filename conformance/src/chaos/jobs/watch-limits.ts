// Looks every 50 ms how many jobs of each limit and of the downstream are leased, and writes down the most there ever were.
import { setTimeout as sleep } from "node:timers/promises"
import { Database } from "../../../../engine/dist/db/database.js"
import type { Journal } from "../journal.ts"
import type { PeakKind } from "./lines.ts"

const EVERY_MS = 50

// One statement is one snapshot: what it counts was leased at one moment.
const LEASED = `select 'limit' as kind, limit_key as name, count(*) as leased from millrace.jobs
    where status = 'leased' and limit_key is not null group by 2
  union all select 'downstream', downstream, count(*) from millrace.jobs
    where status = 'leased' and downstream is not null group by 2`

interface LeasedRow {
  readonly kind: PeakKind
  readonly name: string
  readonly leased: number
}

export class LimitWatch {
  readonly #db: Database
  readonly #journal: Journal
  readonly #peaks = new Map<string, number>()
  readonly #loop: Promise<void>
  #stopped: Promise<number> | undefined
  #samples = 0

  constructor(dsn: string, journal: Journal) {
    this.#db = new Database({ dsn, schema: "millrace", maxConnections: 1, applicationName: "chaos-watch" })
    this.#journal = journal
    this.#loop = this.#watch()
  }

  /** Returns how often it has looked. A further call returns the same. */
  stop(): Promise<number> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<number> {
    await this.#loop
    await this.#db.close().catch(() => {})
    this.#journal.close()
    return this.#samples
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      const startedAt = performance.now()
      await this.#look()
      await sleep(Math.max(0, startedAt + EVERY_MS - performance.now()))
    }
  }

  /** There may be no tables yet, and PostgreSQL may be among those that are killed. */
  async #look(): Promise<void> {
    const rows = await this.#db.script(LEASED).catch(() => undefined)
    if (!rows) return
    this.#samples += 1
    for (const row of rows) this.#note(row as unknown as LeasedRow)
  }

  #note({ kind, name, leased }: LeasedRow): void {
    const known = `${kind} ${name}`
    if (leased <= (this.#peaks.get(known) ?? 0)) return
    this.#peaks.set(known, leased)
    this.#journal.write({ op: "peak", kind, name, leased })
  }
}
