// Typed access to the keys that make a request or an instance unique.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "keys", [
  "insertBusinessKeys",
  "deleteBusinessKeys",
  "insertIdempotencyKeys",
  "deleteIdempotencyKeys",
  "answerIdempotencyKey",
  "findIdempotencyKeys",
  "pruneIdempotencyKeys",
])

export interface BusinessKey {
  readonly definitionId: string
  readonly businessKey: string
  readonly instanceId: string
}

const toRow = ({ definitionId, businessKey, instanceId }: BusinessKey) => ({
  definition_id: definitionId,
  business_key: businessKey,
  instance_id: instanceId,
})

/** Returns the instances that got their key. Inserted in key order: unsorted batches of duplicates would deadlock. */
export async function insertBusinessKeys(tx: Transaction, keys: readonly BusinessKey[]): Promise<Set<string>> {
  const rows = await tx.read<{ instance_id: string }>(sql.insertBusinessKeys, { keys: keys.map(toRow) })
  return new Set(rows.map((row) => row.instance_id))
}

export const deleteBusinessKeys = (tx: Transaction, keys: readonly BusinessKey[]): void =>
  tx.write(sql.deleteBusinessKeys, { keys: keys.map(toRow) })

/** A request's identity: method, path and credential make the scope; the digest tells bodies apart. */
export interface RequestKey {
  readonly scope: string
  readonly key: string
  readonly digest: Buffer
}

export interface Answer {
  readonly status: number
  readonly body: string | null
}

/** Returns the keys that were new, as `scope\nkey`. */
export async function insertIdempotencyKeys(
  tx: Transaction,
  keys: readonly (RequestKey & { readonly answer: Answer })[],
): Promise<Set<string>> {
  const rows = await tx.read<{ scope: string; key: string }>(sql.insertIdempotencyKeys, {
    keys: keys.map((k) => ({
      scope: k.scope,
      key: k.key,
      digest: k.digest,
      status: k.answer.status,
      answer: k.answer.body,
    })),
  })
  return new Set(rows.map(identity))
}

export const identity = ({ scope, key }: { readonly scope: string; readonly key: string }): string => `${scope}\n${key}`

export async function deleteIdempotencyKeys(tx: Transaction, keys: readonly RequestKey[]): Promise<void> {
  await tx.read(sql.deleteIdempotencyKeys, { keys: keys.map((k) => ({ scope: k.scope, key: k.key })) })
}

export const answerIdempotencyKey = (tx: Transaction, key: RequestKey, answer: Answer): void =>
  tx.write(sql.answerIdempotencyKey, { scope: key.scope, key: key.key, status: answer.status, body: answer.body })

export interface StoredAnswerRow extends Record<string, unknown> {
  readonly scope: string
  readonly key: string
  readonly digest: Buffer
  readonly status: number
  readonly answer: string | null
}

export const findIdempotencyKeys = (tx: Transaction, keys: readonly RequestKey[]): Promise<StoredAnswerRow[]> =>
  tx.read(sql.findIdempotencyKeys, { keys: keys.map((k) => ({ scope: k.scope, key: k.key })) })

/** Returns how many are gone. */
export async function pruneIdempotencyKeys(db: Database, olderThanMs: number, limit: number): Promise<number> {
  const [row] = await db.query<{ gone: number }>(sql.pruneIdempotencyKeys, { olderThanMs, limit })
  return row?.gone ?? 0
}
