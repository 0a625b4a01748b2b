// Typed access to the requests that callers of the SQL functions have made.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"
import type { JsonObject } from "../../support/json.ts"

const sql = statements(import.meta.url, "requests", [
  "insertEndings",
  "insertChildCancels",
  "lockNextRequests",
  "deleteRequest",
  "postponeRequest",
  "pruneRequests",
])

export interface RequestRow extends Record<string, unknown> {
  readonly seq: number
  readonly verb: "start" | "signal" | "cancel" | "complete_user_task" | "ending" | "cancel_child"
  readonly instance_id: string
  /** JSON, by the names that the functions of the verbs have for them. */
  readonly arguments: string
  readonly actor: string
  readonly failures: number
}

export interface EndingRow {
  readonly instanceId: string
  readonly step: string
  readonly payload: JsonObject
}

/** For runs that wait for another's end: told as a signal, under their own lock and not under the other's. */
export function insertEndings(tx: Transaction, endings: readonly EndingRow[]): void {
  tx.write(sql.insertEndings, {
    endings: endings.map(({ instanceId, step, payload }) => ({
      instance_id: instanceId,
      arguments: JSON.stringify({ name: step, payload }),
    })),
  })
}

export interface EndedParent {
  readonly id: string
  readonly undoneBy: string | undefined
}

/** Their children are cancelled under their own locks. */
export function insertChildCancels(tx: Transaction, parents: readonly EndedParent[]): void {
  tx.write(sql.insertChildCancels, {
    parents: parents.map(({ id, undoneBy }) => ({ id, undone_by: undoneBy ?? null })),
  })
}

/** The requests that have been due for longest, in order. */
export const lockNextRequests = (tx: Transaction, limit: number): Promise<RequestRow[]> =>
  tx.read(sql.lockNextRequests, { limit })

export const deleteRequest = (tx: Transaction, seq: number): void => tx.write(sql.deleteRequest, { seq })

export interface Postponed {
  readonly seq: number
  readonly error: string
  /** Not tried again, but kept with its error. */
  readonly setAside: boolean
}

/** Tried again after a while that doubles up to a minute, so that it does not block the others. */
export const postponeRequest = (tx: Transaction, { seq, error, setAside }: Postponed): void =>
  tx.write(sql.postponeRequest, { seq, error, setAside })

/** Deletes requests that were set aside longer ago than that. */
export async function pruneRequests(db: Database, olderThanMs: number): Promise<void> {
  await db.query(sql.pruneRequests, { olderThanMs })
}

/** For an operator, who fills in the number of the request. */
export const TAKE_UP_AGAIN = "update millrace.requests set set_aside_at = null, failures = 0 where seq = …"
