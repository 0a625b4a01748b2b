// Ids of sessions: random bits and a code over them by a secret of the engine, so that a made-up one is refused without a query.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { Database } from "../../db/database.ts"
import { getSessionSecret } from "../../store/people/sessions.ts"

const RANDOM_BYTES = 32
const CODE_BYTES = 16
/** Both in base64url, as they stand in the cookie. */
const FORM = /^[A-Za-z0-9_-]{64}$/

export class SessionIds {
  readonly #db: Database
  #secret: Promise<Buffer> | undefined

  constructor(db: Database) {
    this.#db = db
  }

  async create(): Promise<string> {
    const random = randomBytes(RANDOM_BYTES)
    return Buffer.concat([random, codeOf(await this.#load(), random)]).toString("base64url")
  }

  /** Whether one of the engine's processes has made it; not whether the session is still alive. */
  async isOurs(id: string): Promise<boolean> {
    if (!FORM.test(id)) return false
    const bytes = Buffer.from(id, "base64url")
    const code = codeOf(await this.#load(), bytes.subarray(0, RANDOM_BYTES))
    return timingSafeEqual(code, bytes.subarray(RANDOM_BYTES))
  }

  /** It never changes: once a process has read it, it asks no more. */
  #load(): Promise<Buffer> {
    this.#secret ??= getSessionSecret(this.#db).catch((error) => {
      this.#secret = undefined
      throw error
    })
    return this.#secret
  }
}

const codeOf = (secret: Buffer, random: Buffer): Buffer =>
  createHmac("sha256", secret).update(random).digest().subarray(0, CODE_BYTES)
