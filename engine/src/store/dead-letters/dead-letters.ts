// Typed access to dead letters.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader, Transaction } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { DeadReason } from "../../model/jobs/after-attempt.ts"

const sql = statements(import.meta.url, "dead-letters", [
  "insertDeadSteps",
  "deleteDeadSteps",
  "findDeadLetter",
  "listDeadAttempts",
  "listDeadLetters",
  "listDeadLettersOfQueues",
  "listDeadGroups",
  "describeDeadGroups",
  "listDeadMatching",
  "countDeadMatching",
  "countDeadLetters",
  "seeDeadLetter",
  "lockDeadLetter",
  "deleteDeadLetter",
  "noteDeadLetter",
  "findDeadLetterNote",
  "pruneDeadJobs",
])

export interface NewDeadStep {
  readonly id: string
  readonly instanceId: string
  readonly execution: number
  readonly reason: DeadReason
  readonly error: string
  /** Fingerprint of the error. */
  readonly failure: string
  readonly retryCount: number
  readonly deadAt: number
}

/** Before the job's row is deleted: its queue and how often it was handed out are taken from there. */
export const insertDeadSteps = (tx: Transaction, rows: readonly NewDeadStep[]): void =>
  tx.write(sql.insertDeadSteps, {
    letters: rows.map((row) => ({
      id: row.id,
      instance_id: row.instanceId,
      execution: row.execution,
      reason: row.reason,
      error: row.error,
      failure: row.failure,
      retry_count: row.retryCount,
      dead_at: timestamp(row.deadAt),
    })),
  })

/** Deletes the dead letters of an instance that goes on. */
export const deleteDeadSteps = (tx: Transaction, instanceId: string): void =>
  tx.write(sql.deleteDeadSteps, { instanceId })

export interface DeadLetterRow extends Record<string, unknown> {
  readonly id: string
  readonly source: "job" | "step"
  readonly instance_id: string
  readonly execution: number
  readonly step_id: string
  readonly reason: DeadReason
  readonly error: string
  readonly failure: string
  readonly attempts: number
  readonly retry_count: number
  readonly dead_at: number
  readonly job_type: string
  readonly priority: Priority
  readonly definition_id: string
  readonly payload: string | null
}

/** By its own id or that of its standalone job. A step's payload is what its instance knows. */
export async function findDeadLetter(db: Database, id: string): Promise<DeadLetterRow | undefined> {
  const [row] = await db.query<DeadLetterRow>(sql.findDeadLetter, { id })
  return row
}

export interface DeadAttemptRow extends Record<string, unknown> {
  readonly epoch: number
  readonly outcome: "failed" | "timed-out" | "lost" | "parked" | "returned" | "refused"
  readonly worker_id: string | null
  readonly error: string | null
  readonly ended_at: number
}

export const listDeadAttempts = (
  db: Database,
  letter: Pick<DeadLetterRow, "instance_id" | "execution" | "error">,
  limit: number,
): Promise<DeadAttemptRow[]> =>
  db.query(sql.listDeadAttempts, {
    instanceId: letter.instance_id,
    execution: letter.execution,
    error: letter.error,
    limit,
  })

export interface DeadLetterFilter {
  /** Left out in the filters of bulk operations that an earlier version has stored. */
  readonly source?: "job" | "step" | null
  readonly type: string | null
  readonly priority: Priority | null
  readonly definitionId: string | null
  /** Fingerprint of the error. */
  readonly failure: string | null
  /** Ids strictly between. */
  readonly afterId: string
  readonly beforeId: string
}

/** Newest first. Payloads of more bytes than `payloadMax` are left out. */
export function listDeadLetters(
  db: Database,
  filter: DeadLetterFilter,
  limit: number,
  payloadMax: number,
): Promise<DeadLetterRow[]> {
  const { source = null, type, priority, definitionId, failure, afterId, beforeId } = filter
  const values = { source, failure, afterId, beforeId, limit, payloadMax }
  if (type === null && priority === null && definitionId === null) return db.query(sql.listDeadLetters, values)
  return db.query(sql.listDeadLettersOfQueues, { ...values, type, priority, definitionId })
}

export interface DeadGroupRow extends Record<string, unknown> {
  readonly failure: string
  readonly error: string
  readonly total: number
  readonly first_at: number
  readonly last_at: number
  /** How many entries were looked at to find the groups. */
  readonly seen: number
}

interface GroupBounds {
  /** Entries that are looked at, the newest ones. */
  readonly entries: number
  readonly groups: number
  readonly countedTo: number
}

type Between = Pick<DeadLetterFilter, "afterId" | "beforeId">

export const listDeadGroups = (
  db: Database,
  { afterId, beforeId }: Between,
  { entries, groups, countedTo }: GroupBounds,
): Promise<DeadGroupRow[]> => db.query(sql.listDeadGroups, { afterId, beforeId, entries, groups, countedTo })

export interface DeadSource {
  /** Absent for standalone jobs. */
  readonly definitionId: string | null
  readonly type: string
  readonly count: number
}

interface DeadGroupNoteRow extends Record<string, unknown> {
  readonly failure: string
  /** From when the oldest entry that was looked at died until now, in milliseconds. */
  readonly since: number
  readonly until: number
  /** How many died in each span of that time, by its number from 0 on, as JSON; without those in which none did. */
  readonly spans: string
  /** How many sources there are, and the most frequent as JSON: `DeadSource[]`. */
  readonly total: number
  readonly first_few: string
}

interface NoteBounds extends Omit<GroupBounds, "countedTo"> {
  readonly sources: number
  readonly spans: number
  /** When the last span ends, in seconds, if not now. */
  readonly until: number | null
}

export interface DeadGroupNote extends Pick<DeadGroupNoteRow, "failure" | "since" | "until" | "total"> {
  readonly spans: Readonly<Record<string, number>>
  readonly sources: readonly DeadSource[]
}

export async function describeDeadGroups(
  db: Database,
  { afterId, beforeId }: Between,
  { entries, groups, sources, spans, until }: NoteBounds,
): Promise<DeadGroupNote[]> {
  const values = { afterId, beforeId, entries, groups, sources, spans, until }
  const rows = await db.query<DeadGroupNoteRow>(sql.describeDeadGroups, values)
  return rows.map(({ spans, first_few, ...row }) => ({
    ...row,
    spans: JSON.parse(spans) as DeadGroupNote["spans"],
    sources: JSON.parse(first_few) as DeadGroupNote["sources"],
  }))
}

const filterValues = ({
  source = null,
  type,
  priority,
  definitionId,
  failure,
  afterId,
  beforeId,
}: DeadLetterFilter) => ({
  source,
  type,
  priority,
  definitionId,
  failure,
  afterId,
  beforeId,
})

/** Oldest first. */
export const listDeadMatching = (db: Database, filter: DeadLetterFilter, limit: number): Promise<{ id: string }[]> =>
  db.query(sql.listDeadMatching, { ...filterValues(filter), limit })

export async function countDeadMatching(db: Database, filter: DeadLetterFilter): Promise<number> {
  const [row] = await db.query<{ total: number }>(sql.countDeadMatching, filterValues(filter))
  return row?.total ?? 0
}

/** Up to the cap; all of them without one, which may take its time. */
export async function countDeadLetters(db: Database, cap?: number): Promise<number> {
  const [row] =
    cap === undefined
      ? await db.ponder<{ total: number }>(sql.countDeadLetters, { cap: null })
      : await db.query<{ total: number }>(sql.countDeadLetters, { cap })
  return row?.total ?? 0
}

export type SeenDeadLetter = Pick<DeadLetterRow, "id" | "source" | "instance_id" | "step_id">

/** Without a lock; by its own id or that of its standalone job. */
export async function seeDeadLetter(tx: Transaction, id: string): Promise<SeenDeadLetter | undefined> {
  const [row] = await tx.read<SeenDeadLetter & Record<string, unknown>>(sql.seeDeadLetter, { id })
  return row
}

export interface LockedDeadLetter extends Record<string, unknown> {
  readonly id: string
  readonly source: "job" | "step"
  readonly instance_id: string
  readonly execution: number
  readonly step_id: string
  readonly error: string
  readonly payload: string | null
  readonly options: string | null
  readonly job_type: string
  readonly priority: Priority
  readonly downstream: string
}

export async function lockDeadLetter(tx: Transaction, id: string): Promise<LockedDeadLetter | undefined> {
  const [row] = await tx.read<LockedDeadLetter>(sql.lockDeadLetter, { id })
  return row
}

export const deleteDeadLetter = (tx: Transaction, id: string): void => tx.write(sql.deleteDeadLetter, { id })

export interface DeadLetterNote {
  readonly actor: string
  readonly kind: "dead-letter-replayed" | "dead-letter-discarded"
}

/** Notes what became of a dead letter, and by whom, among the changes that operators make. */
export const noteDeadLetter = (
  tx: Transaction,
  { id, source, instance_id }: Pick<SeenDeadLetter, "id" | "source" | "instance_id">,
  { actor, kind }: DeadLetterNote,
  detail: object,
): void => {
  const of = source === "job" ? { of: instance_id } : {}
  tx.write(sql.noteDeadLetter, { id, actor, kind, detail: JSON.stringify({ ...detail, ...of }) })
}

export interface DeadLetterNoteRow extends DeadLetterNote, Record<string, unknown> {
  readonly at: number
  /** The job that took the place of a replayed letter, if there was one; else the job that died. */
  readonly job_id: string | null
}

/** By the id of the letter that is gone, or of its standalone job. */
export async function findDeadLetterNote(reader: Reader, id: string): Promise<DeadLetterNoteRow | undefined> {
  const [row] = await reader.read<DeadLetterNoteRow>(sql.findDeadLetterNote, { id })
  return row
}

/** Prunes dead letters of standalone jobs between two ids, at most `limit`. Tells the last id if there may be more. */
export async function pruneDeadJobs(
  db: Database,
  { afterId, beforeId }: Pick<DeadLetterFilter, "afterId" | "beforeId">,
  limit: number,
): Promise<string | undefined> {
  const [row] = await db.query<{ gone: number; last_id: string | null }>(sql.pruneDeadJobs, {
    afterId,
    beforeId,
    limit,
  })
  return row?.gone === limit ? (row.last_id ?? undefined) : undefined
}
