// Sessions of the dashboard: a random id in a cookie stands for an API key or a person. Stored as a digest, remembered for a few
// seconds.
import { createHash } from "node:crypto"
import type { Database } from "../../db/database.ts"
import { scopesOfRole } from "../../model/people/roles.ts"
import { touchApiKey } from "../../store/people/api-keys.ts"
import {
  deleteSessions,
  findSession,
  insertSession,
  pruneSessions,
  type SessionLife,
  type SessionOwner,
  type SessionPerson,
  type SessionRow,
  touchSession,
} from "../../store/people/sessions.ts"
import { limitOf, type Principal, subjectOf } from "./api-keys.ts"
import { SessionIds } from "./session-id.ts"

/** A session ends after half an hour without a request, and after twelve hours in any case. */
const LIFE: SessionLife = { idleMs: 30 * 60_000, lifeMs: 12 * 3_600_000 }
/** Enough for every browser of a team that shares a key; without a bound a key that may only read could fill the disk. */
const PER_OWNER = 100

const digestOf = (id: string): Buffer => createHash("sha256").update(id).digest()

/** Who has just shown a credential that is good. */
export interface SignedIn extends Principal {
  /** For a user: the session ends when the user's token version rises. */
  readonly tokenVersion?: number
}

interface Remembered {
  readonly row: SessionRow | undefined
  readonly until: number
  /** The use of the session has still to be written down. */
  stale: boolean
}

// How long a key is remembered: the sessions of a revoked key or a disabled user end within five seconds everywhere.
const REMEMBER_MS = 3_000
const MAX_REMEMBERED = 10_000

export class Sessions {
  readonly #db: Database
  readonly #ids: SessionIds
  readonly #remembered = new Map<string, Remembered>()
  #ended = 0

  constructor(db: Database) {
    this.#db = db
    this.#ids = new SessionIds(db)
  }

  /** Always a new id: one that the browser brought along is never made valid, and the session it had is over. */
  async start(principal: SignedIn, broughtIds: readonly string[]): Promise<string> {
    const id = await this.#ids.create()
    const ended = broughtIds.map(digestOf)
    const ownerName = subjectOf(principal)
    const owner = ownerOf(ownerName, principal)
    await insertSession(this.#db, { digest: digestOf(id), ownerName, owner, ended, others: PER_OWNER - 1 })
    this.#forget(ended)
    return id
  }

  async end(ids: readonly string[]): Promise<void> {
    const ours = await Promise.all(ids.map((id) => this.#ids.isOurs(id)))
    const digests = ids.filter((_, at) => ours[at]).map(digestOf)
    if (digests.length === 0) return
    await deleteSessions(this.#db, digests)
    this.#forget(digests)
  }

  /** Whether we have made it, good or not: one that is over was not guessed. */
  isOurs(id: string): Promise<boolean> {
    return this.#ids.isOurs(id)
  }

  /** Whose session it is. Reading it does not keep the session alive: only requests do. */
  async find(id: string): Promise<Principal | undefined> {
    return principalOf(await this.#look(id))
  }

  /** Whose session it is, and that it was used; written down once a minute. */
  async use(id: string): Promise<Principal | undefined> {
    const found = await this.#look(id)
    if (found?.row && found.stale) {
      found.stale = false
      await touchSession(this.#db, digestOf(id))
      if (found.row.key_id !== null) await touchApiKey(this.#db, found.row.key_id)
    }
    return principalOf(found)
  }

  async #look(id: string): Promise<Remembered | undefined> {
    if (!(await this.#ids.isOurs(id))) return undefined
    const digest = digestOf(id)
    const name = digest.toString("hex")
    const known = this.#remembered.get(name)
    if (known && known.until > performance.now()) return known
    const ended = this.#ended
    const row = await findSession(this.#db, digest, LIFE)
    const found = { row, until: performance.now() + REMEMBER_MS, stale: row?.stale ?? false }
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    // What ended while it was looked for is not remembered.
    if (ended === this.#ended) this.#remembered.set(name, found)
    return found
  }

  #forget(digests: readonly Buffer[]): void {
    this.#ended += 1
    for (const digest of digests) this.#remembered.delete(digest.toString("hex"))
  }
}

function ownerOf(ownerName: string, { id, name, scopes, tokenVersion }: SignedIn): SessionOwner {
  if (ownerName.startsWith("oidc:")) return { person: { id, name, scopes } }
  if (!ownerName.startsWith("user:")) return { keyId: id }
  return { userId: id, ...(tokenVersion === undefined ? {} : { tokenVersion }) }
}

function principalOf(found: Remembered | undefined): Principal | undefined {
  if (!found?.row) return undefined
  const { owner: subject, key_id, key_name, scopes, user_id, username, role, person } = found.row
  const limit = limitOf(found.row)
  if (person !== null) return { ...(JSON.parse(person) as SessionPerson), subject }
  if (user_id !== null && username !== null && role !== null)
    return { id: user_id, name: username, scopes: scopesOfRole(role), subject }
  return { id: key_id ?? "", name: key_name ?? "", scopes: scopes ?? [], subject, ...(limit ? { limit } : {}) }
}

/** Housekeeping: those that are over need no row. */
export const forgetSessions = (db: Database): Promise<void> => pruneSessions(db, LIFE)
