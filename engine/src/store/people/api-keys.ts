// Typed access to API keys.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Reader } from "../../db/transaction.ts"
import { timestamp } from "../../db/types.ts"

const sql = statements(import.meta.url, "api-keys", [
  "insertApiKey",
  "findApiKey",
  "listApiKeys",
  "revokeApiKey",
  "touchApiKey",
])

/** What a caller is known by. */
export interface KeyOwnerRow extends Record<string, unknown> {
  readonly id: string
  readonly name: string
  readonly scopes: string[]
  /** The two columns of a limit are both set, or both null. */
  readonly limit_requests: number | null
  readonly limit_window_ms: number | null
}

export interface ApiKeyRow extends KeyOwnerRow {
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
  readonly last_used_at: number | null
}

export interface StoredApiKeyRow extends ApiKeyRow {
  readonly digest: Buffer
  /** Neither revoked nor expired, by the database's clock. */
  readonly usable: boolean
}

export interface NewApiKeyRow {
  readonly id: string
  readonly name: string
  readonly digest: Buffer
  readonly scopes: readonly string[]
  readonly expiresAt: number | undefined
  readonly limitRequests: number | null
  readonly limitWindowMs: number | null
}

export async function insertApiKey(db: Reader, { expiresAt, ...key }: NewApiKeyRow): Promise<ApiKeyRow> {
  const expires = expiresAt === undefined ? null : timestamp(expiresAt)
  const [row] = await db.read<ApiKeyRow>(sql.insertApiKey, { ...key, expiresAt: expires })
  return row as ApiKeyRow
}

export async function findApiKey(db: Database, id: string): Promise<StoredApiKeyRow | undefined> {
  const [row] = await db.query<StoredApiKeyRow>(sql.findApiKey, { id })
  return row
}

export const listApiKeys = (db: Database): Promise<ApiKeyRow[]> => db.query(sql.listApiKeys)

export async function revokeApiKey(db: Reader, id: string): Promise<boolean> {
  const rows = await db.read(sql.revokeApiKey, { id })
  return rows.length === 1
}

export async function touchApiKey(db: Database, id: string): Promise<void> {
  await db.query(sql.touchApiKey, { id })
}
