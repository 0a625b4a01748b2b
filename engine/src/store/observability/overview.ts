// Typed access to what the overview and its watchers read.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import { COUNTERS, type Counts, columnOf, type FlowCount } from "./counter-series.ts"

const sql = statements(import.meta.url, "overview", ["readStanding", "listVersions"])

/** The time that `counts` are of: the last two spans that are over. */
export const RATE_SECONDS = 4

export interface Standing {
  readonly nowMs: number
  readonly counts: Counts
  readonly leases: number
  readonly deadLetters: number
  readonly openUserTasks: number
  readonly workers: number
  /** How many of the workers have a job. */
  readonly busyWorkers: number
  readonly overdueUserTasks: number
  /** What went through the queue in the time of `counts`. */
  readonly flow: readonly FlowCount[]
  /** By downstream: leased jobs, and until when it asked to be left alone. */
  readonly inFlight: Readonly<Record<string, number>>
  readonly closedUntil: Readonly<Record<string, number>>
}

interface StandingRow extends Record<string, unknown> {
  readonly now: number
  readonly leases: number
  readonly dead_letters: number
  readonly open_user_tasks: number
  readonly workers: number
  readonly busy_workers: number
  readonly overdue_user_tasks: number
  readonly in_flight: string
  readonly flow: string
  readonly closed_until: string
}

/** Every count up to the limit. A worker counts as long as it has a lease, or was seen within `seenMs`. */
export async function readStanding(db: Database, limit: number, seenMs: number): Promise<Standing> {
  const [found] = await db.query<StandingRow>(sql.readStanding, { limit, seenMs })
  const row = found as StandingRow
  return {
    nowMs: row.now,
    counts: Object.fromEntries(COUNTERS.map((name) => [name, row[columnOf(name)]])) as Counts,
    leases: row.leases,
    deadLetters: row.dead_letters,
    openUserTasks: row.open_user_tasks,
    workers: row.workers,
    busyWorkers: row.busy_workers,
    overdueUserTasks: row.overdue_user_tasks,
    inFlight: JSON.parse(row.in_flight),
    flow: JSON.parse(row.flow),
    closedUntil: JSON.parse(row.closed_until),
  }
}

export interface InstanceVersion extends Record<string, unknown> {
  readonly id: string
  readonly version: number
  readonly status: string
}

/** The version and status of each instance that exists, live or finished. */
export const listVersions = (db: Database, ids: readonly string[]): Promise<InstanceVersion[]> =>
  db.query(sql.listVersions, { ids })
