// Typed access to the sessions of the dashboard.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import { assert } from "../../support/assert.ts"

const sql = statements(import.meta.url, "sessions", [
  "insertSession",
  "findSession",
  "getSessionSecret",
  "touchSession",
  "deleteSessions",
  "pruneSessions",
])

/** How long a session may be unused, and how long it may be at all. */
export interface SessionLife {
  readonly idleMs: number
  readonly lifeMs: number
}

export interface NewSessionRow {
  readonly digest: Buffer
  readonly keyId: string
  /** Sessions that end with the start of this one. */
  readonly ended: readonly Buffer[]
  /** How many others of the same key are kept. */
  readonly others: number
}

export async function insertSession(db: Database, { digest, keyId, ended, others }: NewSessionRow): Promise<void> {
  await db.query(sql.insertSession, { digest, keyId, ended, others })
}

/** The key that a session stands for. */
export interface SessionRow extends Record<string, unknown> {
  readonly id: string
  readonly name: string
  readonly scopes: string[]
  /** Not written down as used for a minute. */
  readonly stale: boolean
}

/** Alive by the database's clock, or undefined. */
export async function findSession(
  db: Database,
  digest: Buffer,
  { idleMs, lifeMs }: SessionLife,
): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>(sql.findSession, { digest, idleMs, lifeMs })
  return row
}

/** Made with the schema. */
export async function getSessionSecret(db: Database): Promise<Buffer> {
  const [row] = await db.query<{ secret: Buffer }>(sql.getSessionSecret)
  assert(row, "the schema has no secret for sessions")
  return row.secret
}

export async function touchSession(db: Database, digest: Buffer): Promise<void> {
  await db.query(sql.touchSession, { digest })
}

export async function deleteSessions(db: Database, digests: readonly Buffer[]): Promise<void> {
  await db.query(sql.deleteSessions, { digests })
}

/** Forgets those that are over, for their time or with their key. */
export async function pruneSessions(db: Database, { idleMs, lifeMs }: SessionLife): Promise<void> {
  await db.query(sql.pruneSessions, { idleMs, lifeMs })
}
