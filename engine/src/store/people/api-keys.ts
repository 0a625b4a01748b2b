// Typed access to API keys.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import { timestamp } from "../../db/types.ts"

const sql = statements(import.meta.url, "api-keys", [
  "insertApiKey",
  "findApiKey",
  "listApiKeys",
  "revokeApiKey",
  "touchApiKey",
])

export interface ApiKeyRow extends Record<string, unknown> {
  readonly id: string
  readonly name: string
  readonly scopes: string[]
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
}

export async function insertApiKey(db: Database, key: NewApiKeyRow): Promise<void> {
  const expiresAt = key.expiresAt === undefined ? null : timestamp(key.expiresAt)
  await db.query(sql.insertApiKey, { id: key.id, name: key.name, digest: key.digest, scopes: key.scopes, expiresAt })
}

export async function findApiKey(db: Database, id: string): Promise<StoredApiKeyRow | undefined> {
  const [row] = await db.query<StoredApiKeyRow>(sql.findApiKey, { id })
  return row
}

export const listApiKeys = (db: Database): Promise<ApiKeyRow[]> => db.query(sql.listApiKeys)

export async function revokeApiKey(db: Database, id: string): Promise<boolean> {
  const rows = await db.query(sql.revokeApiKey, { id })
  return rows.length === 1
}

export async function touchApiKey(db: Database, id: string): Promise<void> {
  await db.query(sql.touchApiKey, { id })
}
