// API keys: `mill_<id>_<secret>_<checksum>`. Shown once, stored as a digest, looked up by id, remembered for a few seconds.
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import type { Database } from "../../db/database.ts"
import type { Reader } from "../../db/transaction.ts"
import { type CallLimit, isLimit, LIMIT_HINT } from "../../model/guard/class-limits.ts"
import { isScope, SCOPE_HINT } from "../../model/people/scopes.ts"
import {
  type ApiKeyRow,
  findApiKey,
  insertApiKey,
  type KeyOwnerRow,
  listApiKeys as listRows,
  revokeApiKey as revokeRow,
  touchApiKey,
} from "../../store/people/api-keys.ts"
import { badRequest, notFound } from "../../support/errors.ts"

export interface Principal {
  readonly id: string
  /** The name in the audit trail. */
  readonly name: string
  readonly scopes: readonly string[]
  /** How often it may call, where that was set on its key. */
  readonly limit?: CallLimit | undefined
  /**
   * Who it is, by a typed name: `key:<id>`, `user:<id>`, `token:<sub>` of another issuer, `oidc:<sub>`, `network:…`. No two of different
   * kinds can be the same, whatever an issuer or a provider calls its people: compare by `subjectOf`, and not by `id`.
   */
  readonly subject?: string
}

/** A principal without a subject is known by its key. */
export const subjectOf = ({ id, subject }: Pick<Principal, "id" | "subject">): string => subject ?? `key:${id}`

export interface NewApiKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number | undefined
  readonly limit?: CallLimit | undefined
}

const KEY = /^mill_([0-9a-f]{16})_([A-Za-z0-9]{43})_([0-9a-f]{8})$/
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const digestOf = (secret: string): Buffer => hash("sha256", secret, "buffer")
const checksumOf = (id: string, secret: string): string => crc32(`${id}_${secret}`).toString(16).padStart(8, "0")

/** 43 characters of 62 are 256 bits. Bytes past the last whole round of the alphabet are thrown away, or it would lean. */
function randomSecret(): string {
  let secret = ""
  while (secret.length < 43)
    for (const byte of randomBytes(64)) if (byte < 248 && secret.length < 43) secret += ALPHABET[byte % 62]
  return secret
}

/** The only time the whole key is seen. */
export async function createApiKey(
  db: Reader,
  { name, scopes, expiresAt, limit }: NewApiKey,
): Promise<{ id: string; key: string; row: ApiKeyRow }> {
  checkName(name)
  checkScopes(scopes)
  if (limit && !isLimit(limit)) throw badRequest(`this is no limit of a key: ${LIMIT_HINT}`)
  const id = randomBytes(8).toString("hex")
  const secret = randomSecret()
  const [limitRequests, limitWindowMs] = limit ? [limit.requests, limit.windowMs] : [null, null]
  const stored = { id, name, digest: digestOf(secret), scopes, expiresAt, limitRequests, limitWindowMs }
  const row = await insertApiKey(db, stored)
  return { id, key: `mill_${id}_${secret}_${checksumOf(id, secret)}`, row }
}

function checkName(name: string): void {
  if (!/^[\w .:@-]{1,100}$/.test(name))
    throw badRequest("a key needs a name of 1 to 100 letters, digits, spaces and . : @ _ -")
}

function checkScopes(scopes: readonly string[]): void {
  const unknown = scopes.filter((scope) => !isScope(scope))
  if (scopes.length === 0 || unknown.length > 0)
    throw badRequest(`unknown scope ${unknown.join(", ") || "(none given)"}: use ${SCOPE_HINT}`)
}

export const listApiKeys = (db: Database): Promise<ApiKeyRow[]> => listRows(db)

export async function revokeApiKey(db: Reader, id: string): Promise<void> {
  if (!(await revokeRow(db, id))) throw notFound(`there is no key ${id}; \`millrace keys list\` shows them`)
}

/** Who the owner of a key is to the doors. */
export const ownerOf = ({ id, name, scopes, ...row }: KeyOwnerRow): Principal => {
  const limit = limitOf(row)
  return { id, name, scopes, subject: `key:${id}`, ...(limit ? { limit } : {}) }
}

export const limitOf = (row: Pick<KeyOwnerRow, "limit_requests" | "limit_window_ms">): CallLimit | undefined =>
  row.limit_requests === null || row.limit_window_ms === null
    ? undefined
    : { requests: row.limit_requests, windowMs: row.limit_window_ms }

/** By which a credential is known where it must not be kept itself. */
export const credentialDigest = (credential: string): string => hash("sha256", credential, "base64url")

interface Remembered {
  readonly principal: Principal | undefined
  readonly until: number
}

const REMEMBER_MS = 3_000
/** An answer that runs out within this time is asked for anew. */
const RENEW_MS = 1_000
const MAX_REMEMBERED = 10_000
const MAX_KEY = 128

/** Finds the owner of a key. An answer is good for three seconds: a revoked key is refused within five on every replica. */
export class KeyRing {
  readonly #db: Database
  readonly #remembered = new Map<string, Remembered>()
  /** Under way: of many calls with one key the first asks for all. */
  readonly #asking = new Map<string, Promise<Principal | undefined>>()

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * At once where the answer is remembered: most calls need no turn of the event loop. By its digest, so that no key lies in memory;
   * a caller that has worked it out already hands it over.
   */
  find(key: string, digest?: string): Principal | undefined | Promise<Principal | undefined> {
    if (key.length > MAX_KEY) return undefined
    const name = digest ?? credentialDigest(key)
    const known = this.#remembered.get(name)
    const leftMs = known === undefined ? 0 : known.until - performance.now()
    if (known === undefined || leftMs <= 0) return this.#ask(name, key)
    // In good time and beside the call: a busy key is never waited for. Where the database is away, the answer runs out.
    if (known.principal && leftMs < RENEW_MS) this.#ask(name, key)?.catch(() => undefined)
    return known.principal
  }

  #ask(name: string, key: string): Promise<Principal | undefined> | undefined {
    const asked = this.#asking.get(name)
    if (asked) return asked
    const parsed = parseKey(key)
    if (!parsed) return undefined
    const asking = this.#learn(name, parsed).finally(() => this.#asking.delete(name))
    this.#asking.set(name, asking)
    return asking
  }

  async #learn(name: string, { id, secret }: ParsedKey): Promise<Principal | undefined> {
    const principal = await this.#look(id, digestOf(secret))
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(name, { principal, until: performance.now() + REMEMBER_MS })
    return principal
  }

  async #look(id: string, digest: Buffer): Promise<Principal | undefined> {
    const row = await findApiKey(this.#db, id)
    if (!row?.usable || !timingSafeEqual(row.digest, digest)) return undefined
    await touchApiKey(this.#db, id)
    return ownerOf(row)
  }
}

interface ParsedKey {
  readonly id: string
  readonly secret: string
}

/** A mistyped or cut key fails its checksum and never reaches the database. */
function parseKey(key: string): ParsedKey | undefined {
  const [, id, secret, checksum] = KEY.exec(key) ?? []
  return id && secret && checksumOf(id, secret) === checksum ? { id, secret } : undefined
}
