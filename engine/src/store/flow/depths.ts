// Typed access to the depths of queues and to the gates of admission.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { GateName } from "../../model/flow/gate.ts"

const sql = statements(import.meta.url, "depths", [
  "lockGates",
  "foldDeltas",
  "setGates",
  "moveFold",
  "recountDepths",
  "readDepths",
  "readBacklog",
  "countReady",
  "listFirst",
  "measureLeases",
])

export interface GateRow extends Record<string, unknown> {
  readonly name: GateName
  /** Standalone jobs, as folded. */
  readonly live: number
  /** Null: as configured. */
  readonly high: number | null
  readonly low: number | null
  readonly shut: boolean
}

/** The gates that no other transaction holds. The process that gets all of them may fold: they are its lock. */
export const lockGates = (tx: Transaction): Promise<GateRow[]> => tx.read(sql.lockGates)

export interface FoldRow extends Record<Priority, number> {
  readonly deltas: number
  readonly lowest: number | null
  readonly highest: number | null
  readonly xmin: number
  readonly xmax: number
}

/** Adds the visible deltas, lowest first, to their queues. The caller writes what each priority gains. */
export async function foldDeltas(tx: Transaction, after: number, limit: number): Promise<FoldRow> {
  const [row] = await tx.read<FoldRow & Record<string, unknown>>(sql.foldDeltas, { after, limit })
  return row as FoldRow
}

export const setGates = (tx: Transaction, gates: readonly Pick<GateRow, "name" | "live" | "shut">[]): void =>
  tx.write(sql.setGates, { gates: gates.map((g) => ({ name: g.name, live: g.live, shut: g.shut })) })

/** No delta is left up to this id, and none will come. */
export const moveFold = (tx: Transaction, after: number): void => tx.write(sql.moveFold, { after })

/** Sets every counter to what is there, under the lock of the gates; how many were wrong. */
export async function recountDepths(tx: Transaction): Promise<number> {
  const [row] = await tx.read<{ mended: number }>(sql.recountDepths)
  return row?.mended ?? 0
}

interface DepthRow extends Record<string, unknown> {
  readonly gate: GateName | null
  readonly queue_id: number | null
  readonly live: number
  readonly high: number | null
  readonly low: number | null
  readonly shut: boolean | null
}

export interface DepthRows {
  readonly gates: readonly GateRow[]
  /** Live jobs by queue; those without are left out. */
  readonly queues: ReadonlyMap<number, number>
}

/** Folded numbers and the deltas above them, in one snapshot. */
export async function readDepths(db: Database): Promise<DepthRows> {
  const rows = await db.query<DepthRow>(sql.readDepths)
  const gates = rows.flatMap(({ gate, live, high, low, shut }) =>
    gate === null ? [] : [{ name: gate, live, high, low, shut: shut === true }],
  )
  const queues = rows.flatMap(({ queue_id, live }) => (queue_id === null ? [] : [[queue_id, live] as const]))
  return { gates, queues: new Map(queues) }
}

export interface BacklogRow extends Record<string, unknown> {
  /** Live steps of workflows: waiting, held and leased ones. */
  readonly live: number
  readonly queue_ids: readonly number[]
}

/** What the last fold has counted; later deltas are not in it. */
export async function readBacklog(db: Database): Promise<BacklogRow> {
  const [row] = await db.query<BacklogRow>(sql.readBacklog)
  return row as BacklogRow
}

/** Queues, and where to look in each: the low-water hints of claims. */
export interface Ranges {
  readonly queueIds: readonly number[]
  readonly after: readonly number[]
}

/** Ready jobs of these queues, counted no further than the limit. */
export async function countReady(db: Database, { queueIds, after }: Ranges, limit: number): Promise<number> {
  const [row] = await db.query<{ ready: number }>(sql.countReady, { queueIds, after, limit })
  return row?.ready ?? 0
}

interface FirstRow extends Record<string, unknown> {
  readonly queue_id: number
  /** Seconds since it was made. */
  readonly waited: number
}

/** The first ready job of each queue. */
export const listFirst = (db: Database, { queueIds, after }: Ranges): Promise<FirstRow[]> =>
  db.query(sql.listFirst, { queueIds, after })

interface LeaseAge extends Record<string, unknown> {
  readonly seconds: number
  /** In lengths of the lease it belongs to. */
  readonly leases: number
}

/** How long ago the least recently extended lease was extended, among the first to end. */
export async function measureLeases(db: Database, defaultLeaseMs: number, limit: number): Promise<LeaseAge> {
  const [row] = await db.query<LeaseAge>(sql.measureLeases, { defaultLeaseMs, limit })
  return row as LeaseAge
}
