// API keys: `mill_<id>_<secret>_<checksum>`. Shown once, stored as a digest, looked up by id, remembered for a few seconds.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { crc32 } from "node:zlib"
import type { Database } from "../../db/database.ts"
import { isScope, SCOPE_HINT } from "../../model/people/scopes.ts"
import {
  type ApiKeyRow,
  findApiKey,
  insertApiKey,
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
}

export interface NewApiKey {
  readonly name: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number | undefined
}

const KEY = /^mill_([0-9a-f]{16})_([A-Za-z0-9]{43})_([0-9a-f]{8})$/
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest()
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
  db: Database,
  { name, scopes, expiresAt }: NewApiKey,
): Promise<{ id: string; key: string }> {
  checkName(name)
  checkScopes(scopes)
  const id = randomBytes(8).toString("hex")
  const secret = randomSecret()
  await insertApiKey(db, { id, name, digest: digestOf(secret), scopes, expiresAt })
  return { id, key: `mill_${id}_${secret}_${checksumOf(id, secret)}` }
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

export async function revokeApiKey(db: Database, id: string): Promise<void> {
  if (!(await revokeRow(db, id))) throw notFound(`there is no key ${id}; \`millrace keys list\` shows them`)
}

interface Remembered {
  readonly principal: Principal | undefined
  readonly until: number
}

const REMEMBER_MS = 3_000
const MAX_REMEMBERED = 10_000

/** Finds the owner of a key. An answer is good for three seconds: a revoked key is refused within five on every replica. */
export class KeyRing {
  readonly #db: Database
  readonly #remembered = new Map<string, Remembered>()

  constructor(db: Database) {
    this.#db = db
  }

  async find(key: string): Promise<Principal | undefined> {
    const parsed = parseKey(key)
    if (!parsed) return undefined
    const digest = digestOf(parsed.secret)
    const name = `${parsed.id}:${digest.toString("hex")}`
    const known = this.#remembered.get(name)
    if (known && known.until > performance.now()) return known.principal
    const principal = await this.#look(parsed.id, digest)
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear()
    this.#remembered.set(name, { principal, until: performance.now() + REMEMBER_MS })
    return principal
  }

  async #look(id: string, digest: Buffer): Promise<Principal | undefined> {
    const row = await findApiKey(this.#db, id)
    if (!row?.usable || !timingSafeEqual(row.digest, digest)) return undefined
    await touchApiKey(this.#db, id)
    return { id: row.id, name: row.name, scopes: row.scopes }
  }
}

/** A mistyped or cut key fails its checksum and never reaches the database. */
function parseKey(key: string): { id: string; secret: string } | undefined {
  const [, id, secret, checksum] = key.length <= 128 ? (KEY.exec(key) ?? []) : []
  return id && secret && checksumOf(id, secret) === checksum ? { id, secret } : undefined
}
