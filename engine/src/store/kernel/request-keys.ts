// Typed access to the keys of requests and to what became of each.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Transaction } from "../../db/transaction.ts"

const sql = statements(import.meta.url, "request-keys", [
  "insertRequestKeys",
  "deleteRequestKeys",
  "setOutcome",
  "findRequestKeys",
  "pruneRequestKeys",
])

/** A request's identity: method, path and credential make the scope; the digest tells bodies apart. */
export interface RequestKey {
  readonly scope: string
  readonly key: string
  readonly digest: Buffer
}

/** JSON; null where there is nothing to tell, or not yet. */
type OutcomeText = string | null

/** Returns the keys that were new, as `identity` names them. */
export async function insertRequestKeys(
  tx: Transaction,
  keys: readonly (RequestKey & { readonly outcome: OutcomeText })[],
): Promise<Set<string>> {
  const rows = await tx.read<{ scope: string; key: string }>(sql.insertRequestKeys, {
    keys: keys.map(({ scope, key, digest, outcome }) => ({ scope, key, digest, outcome })),
  })
  return new Set(rows.map(identity))
}

type Named = Pick<RequestKey, "scope" | "key">

export const identity = ({ scope, key }: Named): string => `${scope}\n${key}`

const names = (keys: readonly Named[]) => ({ keys: keys.map(({ scope, key }) => ({ scope, key })) })

export async function deleteRequestKeys(tx: Transaction, keys: readonly Named[]): Promise<void> {
  await tx.read(sql.deleteRequestKeys, names(keys))
}

export const setOutcome = (tx: Transaction, { scope, key }: Named, outcome: OutcomeText): void =>
  tx.write(sql.setOutcome, { scope, key, outcome })

export interface RequestKeyRow extends Record<string, unknown> {
  readonly scope: string
  readonly key: string
  readonly digest: Buffer
  /** Null but in rows of the previous version: there it is the HTTP status, and the outcome the body of the answer. */
  readonly status: number | null
  readonly outcome: OutcomeText
}

export const findRequestKeys = (tx: Transaction, keys: readonly Named[]): Promise<RequestKeyRow[]> =>
  tx.read(sql.findRequestKeys, names(keys))

/** Returns how many are gone. */
export async function pruneRequestKeys(db: Database, olderThanMs: number, atMost: number): Promise<number> {
  const [row] = await db.query<{ gone: number }>(sql.pruneRequestKeys, { olderThanMs, atMost })
  return row?.gone ?? 0
}
