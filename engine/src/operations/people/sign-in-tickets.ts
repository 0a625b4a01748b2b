// What a browser holds while its user signs in elsewhere: random bits in a cookie. The state, the nonce and the verifier of PKCE are
// made from them with a secret of the engine, so nothing is stored, and any engine can take the browser back.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { SignInSecrets } from "@millrace/guard/credentials"
import type { Database } from "../../db/database.ts"
import { SessionSecret } from "./session-secret.ts"

const RANDOM_BYTES = 32
const TIME_BYTES = 6
const CODE_BYTES = 16
/** 54 bytes in base64url. */
const FORM = /^[A-Za-z0-9_-]{72}$/
/** Time to type a password elsewhere, and perhaps to find a telephone for the second factor. */
export const TICKET_LIFE_MS = 600_000

export interface Ticket {
  /** The value of the cookie. */
  readonly id: string
  readonly secrets: SignInSecrets
}

export class SignInTickets {
  readonly #secret: SessionSecret

  constructor(db: Database) {
    this.#secret = new SessionSecret(db)
  }

  async issue(nowMs: number): Promise<Ticket> {
    const secret = await this.#secret.load()
    const bits = Buffer.alloc(RANDOM_BYTES + TIME_BYTES)
    randomBytes(RANDOM_BYTES).copy(bits)
    bits.writeUIntBE(nowMs + TICKET_LIFE_MS, RANDOM_BYTES, TIME_BYTES)
    const code = madeFrom(secret, "ticket", bits).subarray(0, CODE_BYTES)
    return { id: Buffer.concat([bits, code]).toString("base64url"), secrets: secretsOf(secret, bits) }
  }

  /** What belongs to a ticket of ours that is not over, where the state that came back is the one that went out with it. */
  async redeem(id: string | undefined, state: string, nowMs: number): Promise<SignInSecrets | undefined> {
    if (id === undefined || state === "" || !FORM.test(id)) return undefined
    const secret = await this.#secret.load()
    const bytes = Buffer.from(id, "base64url")
    const bits = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES)
    const code = madeFrom(secret, "ticket", bits).subarray(0, CODE_BYTES)
    if (!timingSafeEqual(code, bytes.subarray(RANDOM_BYTES + TIME_BYTES))) return undefined
    if (bits.readUIntBE(RANDOM_BYTES, TIME_BYTES) < nowMs) return undefined
    const secrets = secretsOf(secret, bits)
    return isSame(secret, secrets.state, state) ? secrets : undefined
  }
}

/** The name keeps what is made for one use from being taken for another. */
const madeFrom = (secret: Buffer, name: string, bits: Buffer | string): Buffer =>
  createHmac("sha256", secret).update(`oidc ${name} `).update(bits).digest()

const secretsOf = (secret: Buffer, bits: Buffer): SignInSecrets => ({
  state: madeFrom(secret, "state", bits).toString("base64url"),
  nonce: madeFrom(secret, "nonce", bits).toString("base64url"),
  verifier: madeFrom(secret, "verifier", bits).toString("base64url"),
})

const isSame = (secret: Buffer, one: string, other: string): boolean =>
  timingSafeEqual(madeFrom(secret, "compare", one), madeFrom(secret, "compare", other))
