// Typed access to the sessions of the dashboard.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"
import type { Role } from "../../model/people/roles.ts"
import { assert } from "../../support/assert.ts"
import type { KeyOwnerRow } from "./api-keys.ts"

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

/** The person that the provider of OpenID Connect has identified. */
export interface SessionPerson {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
}

/** What a session stands for: one of the three. */
export interface SessionOwner {
  readonly keyId?: string
  readonly userId?: string
  /** The user's token version when the session began. */
  readonly tokenVersion?: number
  readonly person?: SessionPerson
}

export interface NewSessionRow {
  readonly digest: Buffer
  /** The form that the column `owner` keeps: `key:…`, `user:…`, `oidc:…`. */
  readonly ownerName: string
  readonly owner: SessionOwner
  /** Sessions that end with the start of this one. */
  readonly ended: readonly Buffer[]
  /** How many others of the same owner are kept. */
  readonly others: number
}

export async function insertSession(db: Database, session: NewSessionRow): Promise<void> {
  const { digest, ownerName, ended, others } = session
  const { keyId = null, userId = null, tokenVersion = null, person } = session.owner
  const personText = person ? JSON.stringify(person) : null
  await db.query(sql.insertSession, {
    digest,
    owner: ownerName,
    keyId,
    userId,
    tokenVersion,
    person: personText,
    ended,
    others,
  })
}

/** What a session stands for, as it is now: the columns of its owner are set. */
export interface SessionRow extends Pick<KeyOwnerRow, "limit_requests" | "limit_window_ms">, Record<string, unknown> {
  readonly owner: string
  readonly key_id: string | null
  readonly key_name: string | null
  readonly scopes: string[] | null
  readonly user_id: string | null
  readonly username: string | null
  readonly role: Role | null
  /** JSON of a `SessionPerson`. */
  readonly person: string | null
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

/** Forgets those that are over, for their time or with their owner. */
export async function pruneSessions(db: Database, { idleMs, lifeMs }: SessionLife): Promise<void> {
  await db.query(sql.pruneSessions, { idleMs, lifeMs })
}
