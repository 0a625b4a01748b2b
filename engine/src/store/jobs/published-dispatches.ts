// Typed access to messages that Kafka has, and how far their consumers have come.
import type { NamedValues } from "../../db/bind-values.ts"
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { JobKey } from "../../support/job-key.ts"
import type { DispatchKey } from "./dispatches.ts"
import { toColumns } from "./job-columns.ts"

const sql = statements(import.meta.url, "published-dispatches", [
  "listPlaces",
  "releaseDispatches",
  "listLost",
  "findEarlier",
])

/** A partition with messages that are not known to be passed. */
export interface PlaceRow extends Record<string, unknown> {
  readonly job_type: string
  readonly partition: number
  readonly first_offset: number
  readonly last_offset: number
  readonly waiting_seconds: number
}

export const listPlaces = (db: Database): Promise<PlaceRow[]> => db.query(sql.listPlaces)

/** Up to this offset, and without it. */
interface PassedPlace {
  readonly jobType: string
  readonly partition: number
  readonly offset: number
}

interface ReleasedRow extends Record<string, unknown> {
  readonly released: number
  /** Released jobs whose report has not come yet. */
  readonly awaited: number
}

/** Releases at most `limit` messages of each place. */
export function releasePassed(tx: Transaction, places: readonly PassedPlace[], limit: number): Promise<ReleasedRow> {
  const rows = places.map(({ jobType, partition, offset }) => ({ job_type: jobType, partition, log_offset: offset }))
  return release(tx, { places: rows, leftBy: null, limit })
}

/** Releases what the relay of this loop has left behind, unless that relay leads. */
export const releaseLeft = (tx: Transaction, loop: string, limit: number): Promise<ReleasedRow> =>
  release(tx, { places: [], leftBy: loop, limit })

async function release(tx: Transaction, values: NamedValues): Promise<ReleasedRow> {
  const [row] = await tx.read<ReleasedRow>(sql.releaseDispatches, values)
  return row ?? { released: 0, awaited: 0 }
}

/** From the one offset to the other, both with it. */
interface LostRange {
  readonly jobType: string
  readonly partition: number
  readonly from: number
  readonly to: number
}

export type LostRow = DispatchKey & { readonly job_type: string }

export function listLost(tx: Transaction, ranges: readonly LostRange[], limit: number): Promise<LostRow[]> {
  const places = ranges.map(({ jobType, partition, from, to }) => ({
    job_type: jobType,
    partition,
    from_offset: from,
    to_offset: to,
  }))
  return tx.read(sql.listLost, { places, limit })
}

export interface EarlierRow extends Record<string, unknown> {
  readonly job_type: string
  readonly partition: number | null
  readonly log_offset: number | null
}

export const listEarlier = (db: Database, key: JobKey): Promise<EarlierRow[]> =>
  db.query(sql.findEarlier, { ...toColumns(key) })
