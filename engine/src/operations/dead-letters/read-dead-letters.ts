// Reads dead letters: a page of them, or one with all its attempts.
import type { Reader, Transaction } from "../../db/transaction.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import type { DeadReason } from "../../model/jobs/after-attempt.ts"
import { type Reach, reachedByLetter } from "../../model/people/reach.ts"
import {
  type DeadAttemptRow,
  type DeadLetterFilter,
  type DeadLetterRow,
  findDeadLetter,
  findDeadLetterNote,
  listDeadAttempts,
  listDeadLetters as listRows,
} from "../../store/dead-letters/dead-letters.ts"
import { jobKeyOf } from "../../store/jobs/job-columns.ts"
import { conflict, notFound, unprocessable } from "../../support/errors.ts"
import { isUlid, ulidAt } from "../../support/ids.ts"
import { isoTime } from "../../support/iso-time.ts"
import { jobIdOf } from "../../support/job-key.ts"
import type { JsonObject } from "../../support/json.ts"
import { type InstanceKeys, withInstanceKeys, withoutInstanceKeys } from "../instances/instance-keys.ts"
import { withJobKeys } from "../jobs/job-keys.ts"
import { cutPage, earlier, parseUlid, readCursor } from "../kernel/cursor.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface DeadLetterQuery {
  /** Dead letters of standalone jobs, or of steps. */
  readonly source?: "job" | "step" | undefined
  readonly type?: string | undefined
  readonly priority?: Priority | undefined
  readonly definitionId?: string | undefined
  /** Fingerprint of the error. */
  readonly error?: string | undefined
  readonly since?: number | undefined
  readonly before?: number | undefined
}

export interface DeadLetterView extends InstanceKeys {
  readonly id: string
  readonly source: "job" | "step"
  readonly jobId: string
  readonly type: string
  readonly priority: Priority
  readonly reason: DeadReason
  readonly error: string
  readonly fingerprint: string
  readonly attempts: number
  readonly retryCount: number
  readonly deadAt: string
  /** Present for a dead letter of a step. */
  readonly instanceId?: string
  readonly definitionId?: string
  readonly stepId?: string
  readonly payload?: JsonObject
}

export interface DeadLetterPage {
  readonly items: readonly DeadLetterView[]
  readonly nextCursor?: string
}

/** A page of payloads must not be a page of megabytes: a larger one is with its entry. */
const PAYLOAD_IN_LIST_MAX = 8_192

/** Newest first. */
export async function listDeadLetters(
  kernel: Kernel,
  query: DeadLetterQuery,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<DeadLetterPage> {
  const filter = deadFilterOf(query)
  const beforeId =
    cursor === undefined ? filter.beforeId : earlier(readCursor(cursor, parseUlid, unprocessable), filter.beforeId)
  const rows = await listRows(kernel.db, { ...filter, beforeId }, limit + 1, PAYLOAD_IN_LIST_MAX)
  const { shown, next } = cutPage(rows, limit, ({ id }) => id)
  return { items: await withKeys(kernel, shown.map(viewOfLetter)), ...next }
}

/** Adds the keys: those of the job for a standalone job, those of the instance for a step. */
const withKeys = async (kernel: Kernel, letters: readonly DeadLetterView[]): Promise<readonly DeadLetterView[]> =>
  withInstanceKeys(
    kernel,
    await withJobKeys(kernel, letters, ({ source, jobId }) => (source === "job" ? jobId : undefined)),
  )

/** Ids are in order of death: a time range is an id range. */
export const deadFilterOf = (query: DeadLetterQuery): DeadLetterFilter => ({
  source: query.source ?? null,
  type: query.type ?? null,
  priority: query.priority ?? null,
  definitionId: query.definitionId ?? null,
  failure: query.error ?? null,
  afterId: query.since === undefined ? "" : ulidAt(query.since),
  beforeId: query.before === undefined ? "~" : ulidAt(query.before),
})

function viewOfLetter(row: DeadLetterRow): DeadLetterView {
  const { source, instance_id: instanceId, definition_id: definitionId, step_id: stepId } = row
  return {
    id: row.id,
    source,
    jobId: jobIdOf(jobKeyOf(row)),
    type: row.job_type,
    priority: row.priority,
    reason: row.reason,
    error: row.error,
    fingerprint: row.failure,
    attempts: row.attempts,
    retryCount: row.retry_count,
    deadAt: isoTime(row.dead_at),
    ...(source === "step" ? { instanceId, definitionId, stepId } : {}),
    ...(row.payload === null ? {} : { payload: JSON.parse(row.payload) as JsonObject }),
  }
}

/** Hides what the caller may not see: the payload of a step's dead letter and its keys belong to the instance. */
export function letterWithin(reach: Reach, letter: DeadLetterView): DeadLetterView {
  if (reach.may("read", reachedByLetter(letter))) return letter
  const { payload: _, ...rest } = withoutInstanceKeys(letter)
  return rest
}

export interface DeadAttemptView {
  readonly attempt: number
  readonly outcome: DeadAttemptRow["outcome"]
  readonly error?: string
  readonly workerId?: string
  readonly endedAt: string
}

export type DeadLetterDetail = DeadLetterView & { readonly history: readonly DeadAttemptView[] }

const ATTEMPTS_MAX = 1_000

export async function getDeadLetter(kernel: Kernel, id: string): Promise<DeadLetterDetail> {
  const row = isUlid(id) ? await findDeadLetter(kernel.db, id) : undefined
  if (!row) throw noSuchLetter(id, isUlid(id) ? await fateOf(kernel.db, id) : undefined)
  const attempts = await listDeadAttempts(kernel.db, row, ATTEMPTS_MAX)
  const [letter = viewOfLetter(row)] = await withKeys(kernel, [viewOfLetter(row)])
  return { ...letter, history: attempts.map(viewOfAttempt) }
}

const viewOfAttempt = ({ epoch, outcome, error, worker_id, ended_at }: DeadAttemptRow): DeadAttemptView => ({
  attempt: epoch,
  outcome,
  ...(error === null ? {} : { error }),
  ...(worker_id === null ? {} : { workerId: worker_id }),
  endedAt: isoTime(ended_at),
})

export const noSuchLetter = (id: string, fate?: string) =>
  notFound(`there is no dead letter ${id.slice(0, 64)}${fate === undefined ? "" : `: it ${fate}`}`)

/** Another operator was faster: the refusal names that operator, and nothing happens twice. */
export async function refuseGone(tx: Transaction, id: string): Promise<never> {
  const fate = await fateOf(tx, id)
  if (fate === undefined) throw noSuchLetter(id)
  throw conflict(`dead letter ${id} ${fate}`)
}

/** What became of one that is gone, and by whom: a caller who does not learn of a replay enqueues the work once more. */
async function fateOf(reader: Reader, id: string): Promise<string | undefined> {
  const note = await findDeadLetterNote(reader, id)
  if (!note) return undefined
  const by = `by ${note.actor} at ${isoTime(note.at)}`
  if (note.kind === "dead-letter-discarded") return `was discarded ${by}`
  return `was replayed ${by}${note.job_id === null ? "" : `, as job ${note.job_id}`}`
}
