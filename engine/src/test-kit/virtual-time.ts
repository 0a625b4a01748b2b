// Time as a test wants it: it does not stand still, but it can be moved, and what falls due by that happens before the test goes on.
import type { Database } from "../db/database.ts"
import { statements } from "../db/statements.ts"
import { releaseJobs } from "../operations/flow/release-jobs.ts"
import { runRequests } from "../operations/instances/run-requests.ts"
import { fireTimers } from "../operations/instances/run-timers.ts"
import { startChains } from "../operations/instances/start-chains.ts"
import { LeaseSweeper } from "../operations/jobs/end/sweep-leases.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import type { ProveTerm } from "../operations/kernel/loops.ts"
import type { TestClock } from "./test-clock.ts"

const sql = statements(import.meta.url, "virtual-time", ["moveClock", "findDue", "listBusy", "listWaits"])

type Loop = keyof typeof LOOPS

interface DueRow extends Record<string, unknown> {
  readonly now: number
  readonly next_at: number | null
  /** The loops that have work. */
  readonly overdue: readonly Loop[]
}

export interface WaitRow extends Record<string, unknown> {
  readonly instance_id: string
  /** A signal a line. */
  readonly waits_for: string | null
  readonly held_reason: string | null
}

// The engine's own loops may hold what is due for a moment, on a busy machine for a long one, hence pauses that grow: two
// seconds in all. What cannot happen at all stays due for ever.
const MOST_ROUNDS = 50
const pauseMs = (round: number): number => Math.min(2 * round, 50)
// The only process on a private schema leads every loop.
const leads: ProveTerm = async () => {}

const LOOPS = {
  leases: (kernel: Kernel) => new LeaseSweeper(kernel).sweep(leads),
  timers: (kernel: Kernel) => fireTimers(kernel, leads),
  jobs: (kernel: Kernel) => releaseJobs(kernel, leads),
  chains: (kernel: Kernel) => startChains(kernel, leads),
  requests: (kernel: Kernel) => runRequests(kernel, leads),
}

export class VirtualTime {
  readonly #kernel: Kernel
  readonly #clock: TestClock
  /** The workers that are working now. Any other's lease can run out. */
  readonly #alive: () => readonly string[]

  constructor(kernel: Kernel, clock: TestClock, alive: () => readonly string[]) {
    this.#kernel = kernel
    this.#clock = clock
    this.#alive = alive
  }

  async now(): Promise<number> {
    return (await this.#look()).now
  }

  /** Moves on to the next thing that falls due, at most until then, and lets it happen. False when there is nothing. */
  async hop(untilMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { now, next_at } = await this.#look()
    if (next_at === null || next_at > untilMs) return false
    // Times come without their microseconds.
    await this.#move(next_at + 1 - now)
    return true
  }

  async moveTo(atMs: number): Promise<void> {
    await this.#move(atMs - (await this.now()))
  }

  async #move(byMs: number): Promise<void> {
    const ms = Math.ceil(byMs)
    if (ms > 0) {
      // First here: an answer with the new time must not be moved a second time.
      this.#clock.move(ms)
      await this.#kernel.db.query(sql.moveClock, { ms, alive: this.#alive() })
    }
    await this.release()
  }

  /** Lets everything happen that is due. False when there was nothing, or nothing more that can. */
  async release(): Promise<boolean> {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const { overdue } = await this.#look()
      if (overdue.length === 0) return round > 0
      if (round > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs(round)))
      for (const loop of Object.keys(LOOPS) as Loop[]) if (overdue.includes(loop)) await LOOPS[loop](this.#kernel)
    }
    return false
  }

  /** Whether a run, or any, is being worked on, or could be by who works on these types. */
  async isBusy(id: string | undefined, jobTypes: readonly string[]): Promise<boolean> {
    const rows = await this.#kernel.db.query(sql.listBusy, { id: id ?? null, jobTypes, alive: this.#alive() })
    return rows.length > 0
  }

  async #look(): Promise<DueRow> {
    const [row] = await this.#kernel.db.query<DueRow>(sql.findDue, { alive: this.#alive() })
    return row as DueRow
  }
}

/** What a run and the runs it has started wait for. */
export const listWaits = (db: Database, id: string): Promise<WaitRow[]> => db.query<WaitRow>(sql.listWaits, { id })
