// Typed access to packs: standalone jobs that were claimed together, in one row.
import type { Database } from "../../db/database.ts"
import { arrayLiteral } from "../../db/encode-values.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import { randomNonce } from "../../support/nonce.ts"
import type { ClaimedRow, Query, SeqRange, Slot } from "./claims.ts"

const sql = statements(import.meta.url, "packs", ["claimPacks", "completePacks", "unpackJobs", "unpackEnded"])

/** A queue whose new and plain jobs may be packed. */
export interface PackAsk {
  readonly queueId: number
  /** The low-water hint, as in every claim. */
  readonly after: number
  /** The length of the lease for a worker that names none. */
  readonly leaseMs: number
  readonly runMs: number
}

export interface PackedClaim {
  readonly rows: readonly ClaimedRow[]
  /** Jobs that were looked at and are not plain: they are leased one by one. */
  readonly passed: number
  /** Undefined where nothing was taken. */
  readonly range: SeqRange | undefined
}

interface ToldRow extends Record<string, unknown> {
  readonly passed: number
  readonly lowest: number | null
  readonly highest: number | null
  readonly xmin: number
  readonly xmax: number
}

interface PlacedRow extends Record<string, unknown> {
  readonly nonce: string
  readonly place: number
  readonly instance_id: string
  readonly step_id: string
  readonly retries_left: number
  readonly variables: string
  readonly trace_context: string | null
  readonly waited: number
  readonly lease_until: number
}

/** At most one job for each slot. The slots of one worker and one length of lease share a pack. */
export async function claimPacks(query: Query, ask: PackAsk, slots: readonly Slot[]): Promise<PackedClaim> {
  const { owned, owners, slotsOf } = shareOut(ask, slots)
  const { queueId, after, runMs } = ask
  const values = { queueId, after, quota: slots.length, owners, owned, runMs }
  const [told, ...placed] = (await query(sql.claimPacks, values)) as unknown as [ToldRow, ...PlacedRow[]]
  const rows = placed.map((row) => {
    const slot = (slotsOf.get(row.nonce) as number[])[row.place - 1] as number
    return toClaimed(ask, row, slot)
  })
  return { rows, passed: told.passed, range: rangeOf(ask.queueId, told) }
}

/** As a row that was claimed by itself, for the first time. */
const toClaimed = ({ queueId, runMs }: PackAsk, row: PlacedRow, slot: number): ClaimedRow => ({
  slot,
  instance_id: row.instance_id,
  execution: 0,
  queue_id: queueId,
  seq: 0,
  step_id: row.step_id,
  epoch: 1,
  retries_left: row.retries_left,
  lease_until: row.lease_until,
  run_ms: runMs,
  waited: row.waited,
  definition_id: null,
  business_key: null,
  effect_key: null,
  variables: row.variables,
  trace_context: row.trace_context,
  xmin: null,
  xmax: null,
  packed: { nonce: row.nonce, place: row.place },
})

type Owned = { readonly nonce: string; readonly worker_id: string; readonly lease_ms: number }

/** Says who is given a pack, and which slots are whose. */
function shareOut({ leaseMs }: PackAsk, slots: readonly Slot[]) {
  const numbers = new Map<string, number>()
  const owned: Owned[] = []
  const slotsOf = new Map<string, number[]>()
  const owners = slots.map((slot, at) => {
    const lease_ms = slot.leaseMs ?? leaseMs
    const name = `${lease_ms} ${slot.workerId}`
    const number = numbers.get(name) ?? owned.push({ nonce: randomNonce(), worker_id: slot.workerId, lease_ms })
    numbers.set(name, number)
    const { nonce } = owned[number - 1] as Owned
    const mine = slotsOf.get(nonce)
    if (mine) mine.push(at + 1)
    else slotsOf.set(nonce, [at + 1])
    return number
  })
  return { owned, owners, slotsOf }
}

const rangeOf = (queueId: number, { lowest, highest, xmin, xmax }: ToldRow): SeqRange | undefined =>
  lowest === null || highest === null ? undefined : { queueId, lowest, highest, xmin, xmax }

/** Completions of jobs of one pack: for each place up to the last that is reported the id of its job, or nothing. */
export interface PackReport {
  readonly nonce: string
  readonly ids: readonly (string | null)[]
  /** JSON, by place; null where no job has a result. */
  readonly results: readonly (string | null)[] | null
}

export interface CompletedPackRow extends Record<string, unknown> {
  readonly nonce: string
  readonly queue_id: number
  /** A 1 for each place that was completed by this, and a 0 for each other one. */
  readonly done: string
}

export const completePacks = (
  tx: Transaction,
  reports: readonly PackReport[],
  onRows: (rows: readonly CompletedPackRow[]) => void,
): void =>
  tx.write<CompletedPackRow>(
    sql.completePacks,
    {
      reports: reports.map(({ nonce, ids, results }) => ({
        nonce,
        ids: arrayLiteral(ids),
        results: results && arrayLiteral(results),
      })),
    },
    onRows,
  )

/** Makes rows of these jobs, as far as they are in packs. Tells how many were. */
export async function unpackJobs(db: Database, ids: readonly string[]): Promise<number> {
  const [row] = await db.query<{ n: number }>(sql.unpackJobs, { ids })
  return row?.n ?? 0
}

interface EndedPacks {
  /** Whether or not their lease is over. */
  readonly any?: boolean
  readonly limit: number
}

/** The jobs of packs whose lease is over, oldest first: rows whose lease is over. */
export async function unpackEnded(db: Database, { any = false, limit }: EndedPacks): Promise<number> {
  const [row] = await db.query<{ n: number }>(sql.unpackEnded, { any, limit })
  return row?.n ?? 0
}
