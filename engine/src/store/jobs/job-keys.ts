// Typed access to the keys of standalone jobs.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import type { Traced } from "../observability/traced.ts"

const sql = statements(import.meta.url, "job-keys", [
  "findJobKeys",
  "listKeysOfJobs",
  "listKeysFrom",
  "takeUnique",
  "findUnique",
  "debounceJob",
  "replaceUnique",
  "pruneUniques",
  "pruneLimits",
])

export interface JobKeyRow extends Record<string, unknown> {
  readonly job_type: string
  readonly key: string
  readonly job_id: string
  readonly digest: Buffer
}

export const findJobKeys = (
  reader: Reader,
  keys: readonly { readonly jobType: string; readonly key: string }[],
): Promise<JobKeyRow[]> =>
  reader.read(sql.findJobKeys, { keys: keys.map(({ jobType, key }) => ({ job_type: jobType, key })) })

/** The keys of those jobs that were enqueued with one. */
export const listKeysOfJobs = (
  reader: Reader,
  ids: readonly string[],
): Promise<{ readonly job_id: string; readonly key: string }[]> => reader.read(sql.listKeysOfJobs, { ids })

interface KeyRange {
  /** Only keys of this job type. Null means all types. */
  readonly jobType: string | null
  /** The place after which to begin, in the order of types and keys. */
  readonly afterType: string
  readonly afterKey: string
  readonly fromKey: string
  readonly beforeKey: string
  /** How many keys and types are looked at. */
  readonly lookAt: number
}

export interface KeyPlace extends Record<string, unknown> {
  readonly job_type: string
  readonly key: string
  /** Null for a type that has no such key. */
  readonly job_id: string | null
  /** The last that was looked at: there may be more. */
  readonly is_last: boolean
}

/** Lists keys in the order of types and keys. */
export const listKeysFrom = (db: Database, range: KeyRange): Promise<KeyPlace[]> =>
  db.query(sql.listKeysFrom, { ...range })

export interface UniqueWindow {
  readonly jobType: string
  readonly key: string
  readonly jobId: string
  readonly forMs: number
}

/** False where the key is taken for now. */
export async function takeUnique(tx: Transaction, { jobType, key, jobId, forMs }: UniqueWindow): Promise<boolean> {
  return (await tx.read(sql.takeUnique, { jobType, key, jobId, forMs })).length > 0
}

export async function findUnique(tx: Transaction, jobType: string, key: string) {
  const [row] = await tx.read<{ job_id: string; until: number }>(sql.findUnique, { jobType, key })
  return row
}

/** False where the job has begun, or has ended. */
export async function debounceJob(
  tx: Transaction,
  id: string,
  { payload, trace, delayMs }: Traced & { readonly payload: string; readonly delayMs: number },
): Promise<boolean> {
  return (await tx.read(sql.debounceJob, { id, payload, delayMs, trace: trace ?? null })).length > 0
}

export const replaceUnique = (tx: Transaction, { jobType, key, jobId, forMs }: UniqueWindow): void =>
  tx.write(sql.replaceUnique, { jobType, key, jobId, forMs })

/** Windows that are over, and limits of keys that no job carries. */
export async function pruneKeys(db: Database): Promise<void> {
  await db.query(sql.pruneUniques)
  await db.query(sql.pruneLimits)
}
