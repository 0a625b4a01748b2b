// Typed access to what the guard has noted. Nothing is decided by it.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"

const sql = statements(import.meta.url, "notes", [
  "addNotes",
  "countShadowed",
  "listShadowed",
  "readTraffic",
  "pruneNotes",
])

/** How many requests got which verdict. */
export interface VerdictCounts {
  readonly allowed: number
  readonly throttled: number
  readonly softBlocked: number
  readonly hardBlocked: number
  /** Would have been refused or delayed. */
  readonly shadowed: number
}

export type ShadowNote = {
  readonly id: string
  readonly rule: string
  readonly client: string
  readonly path: string
  readonly times: number
  readonly request_id: string
  readonly reason: string
}

interface Notes {
  readonly counts: VerdictCounts
  readonly events: readonly ShadowNote[]
}

export async function addNotes(db: Database, { counts, events }: Notes): Promise<void> {
  await db.query(sql.addNotes, { ...counts, events })
}

export const countShadowed = (db: Database): Promise<{ rule: string; times: number }[]> => db.query(sql.countShadowed)

export interface ShadowRow extends Record<string, unknown> {
  readonly id: string
  readonly hour: number
  readonly rule: string
  readonly client: string
  readonly path: string
  readonly times: number
  readonly last_at: number
  readonly last_request_id: string
  readonly last_reason: string
}

export interface ShadowQuery {
  readonly before: string
  readonly rule: string | null
  readonly client: string | null
  readonly limit: number
}

/** Newest first, of the last 24 hours. */
export const listShadowed = (db: Database, query: ShadowQuery): Promise<ShadowRow[]> =>
  db.query(sql.listShadowed, { ...query })

export interface TrafficRow extends Record<string, unknown> {
  readonly at: number
  readonly allowed: number
  readonly throttled: number
  readonly soft_blocked: number
  readonly hard_blocked: number
  readonly shadowed: number
}

export const readTraffic = (db: Database, windowSeconds: number): Promise<TrafficRow[]> =>
  db.query(sql.readTraffic, { windowSeconds })

/** Forgets what is older than a day, and of shadow mode all but the newest. */
export async function pruneNotes(db: Database, most: number): Promise<void> {
  await db.query(sql.pruneNotes, { most })
}
