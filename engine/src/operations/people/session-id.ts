// Ids of sessions: random bits and a code over them by a secret of the engine, so that a made-up one is refused without a query.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { Database } from "../../db/database.ts"
import { SessionSecret } from "./session-secret.ts"

const RANDOM_BYTES = 32
const CODE_BYTES = 16
/** Both in base64url, as they stand in the cookie. */
const FORM = /^[A-Za-z0-9_-]{64}$/

export class SessionIds {
  readonly #secret: SessionSecret

  constructor(db: Database) {
    this.#secret = new SessionSecret(db)
  }

  async create(): Promise<string> {
    const random = randomBytes(RANDOM_BYTES)
    return Buffer.concat([random, codeOf(await this.#secret.load(), random)]).toString("base64url")
  }

  /** Whether one of the engine's processes has made it; not whether the session is still alive. */
  async isOurs(id: string): Promise<boolean> {
    if (!FORM.test(id)) return false
    const bytes = Buffer.from(id, "base64url")
    const code = codeOf(await this.#secret.load(), bytes.subarray(0, RANDOM_BYTES))
    return timingSafeEqual(code, bytes.subarray(RANDOM_BYTES))
  }
}

const codeOf = (secret: Buffer, random: Buffer): Buffer =>
  createHmac("sha256", secret).update(random).digest().subarray(0, CODE_BYTES)
