// Tokens of users: made at a sign-in, and read with every call without asking the database. Another issuer's may be taken too.
import {
  type IssuerRules,
  isExpiredToken,
  KeysUnavailable,
  MOST_TOKEN_BYTES,
  peekToken,
  type SigningKeys,
  signToken,
  TOKEN_LIFE_SECONDS,
  TOKEN_TYPE,
  type VerifiedToken,
  verifyToken,
} from "@millrace/guard/credentials"
import { isRole, type Role, scopesOfRole } from "../../model/people/roles.ts"
import type { UserRow } from "../../store/people/users.ts"
import { assert } from "../../support/assert.ts"
import { hasControlCharacter } from "../../support/control-characters.ts"
import { EngineError } from "../../support/errors.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { Principal } from "./api-keys.ts"
import { RevokedUsers } from "./revoked-users.ts"

export interface OwnIssuer {
  readonly issuer: string
  readonly audience: string
  readonly keys: SigningKeys
}

export interface TokenOptions {
  /** Signs; undefined where no key is set: then no token is made here. */
  readonly own?: OwnIssuer | undefined
  /** Another issuer, whose tokens are taken as they are. */
  readonly trusted?: IssuerRules | undefined
}

export interface AccessToken {
  readonly token: string
  readonly expiresInSeconds: number
}

const MOST_SUBJECT = 200

export class Tokens {
  readonly #kernel: Kernel
  readonly #options: TokenOptions
  readonly #own: IssuerRules | undefined
  readonly #revoked: RevokedUsers

  constructor(kernel: Kernel, options: TokenOptions) {
    this.#kernel = kernel
    this.#options = options
    const { own } = options
    this.#own = own && { ...own, algorithm: own.keys.algorithm, types: [TOKEN_TYPE] }
    this.#revoked = new RevokedUsers(kernel.db)
  }

  /** Whether it can make tokens. */
  get signs(): boolean {
    return this.#own !== undefined
  }

  /** The public keys, for services that verify tokens themselves. */
  get published(): SigningKeys["published"] {
    return this.#options.own?.keys.published ?? []
  }

  async issue({ id, username, role, token_version }: UserRow): Promise<AccessToken> {
    const { own } = this.#options
    assert(own, "a token is made only where a key to sign it is set")
    const { issuer, audience, keys } = own
    const claims = { name: username, role, ver: token_version }
    const nowMs = this.#kernel.clock.nowMs()
    const token = await signToken(keys, { issuer, audience, subject: id, claims }, nowMs)
    return { token, expiresInSeconds: TOKEN_LIFE_SECONDS }
  }

  /** Who shows it; undefined for one that is not good, whatever the reason. */
  async find(token: string): Promise<Principal | undefined> {
    const rules = this.#rulesOf(token)
    if (rules === undefined) return undefined
    const verified = await this.#asked(() => verifyToken(token, rules, this.#kernel.clock.nowMs()))
    return rules === this.#own ? this.#ofUser(verified) : ofStranger(verified)
  }

  /** Whether it was good and its time is over: its signature is proved, so it was not guessed. */
  async isExpired(token: string): Promise<boolean> {
    const rules = this.#rulesOf(token)
    return rules !== undefined && this.#asked(() => isExpiredToken(token, rules, this.#kernel.clock.nowMs()))
  }

  /** The rules for the issuer that the token names. */
  #rulesOf(token: string): IssuerRules | undefined {
    const { trusted } = this.#options
    const issuer = peekToken(token, trusted?.mostBytes ?? MOST_TOKEN_BYTES)?.issuer
    if (issuer === undefined) return undefined
    return [this.#own, trusted].find((rules) => rules?.issuer === issuer)
  }

  async #asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error
      this.#kernel.log.warn({ err: error }, "the keys of WE_JWT_TRUSTED_ISSUER cannot be read: its tokens are refused")
      throw new EngineError("unavailable", "the issuer of this token cannot be asked now", { retryAfterSeconds: 30 })
    }
  }

  async #ofUser(token: VerifiedToken | undefined): Promise<Principal | undefined> {
    if (!token || !isRole(token.role) || !Number.isSafeInteger(token.ver)) return undefined
    if (await this.#revoked.has(token.sub, token.ver as number)) return undefined
    return principalOf(token, token.role, "user")
  }
}

/** The caller named by a token of another issuer. The token's roles count; without roles the caller is a USER. */
function ofStranger(token: VerifiedToken | undefined): Principal | undefined {
  if (!token || token.sub.length > MOST_SUBJECT || hasControlCharacter(token.sub)) return undefined
  return principalOf(token, isRole(token.role) ? token.role : "USER", "token")
}

function principalOf({ sub, name }: VerifiedToken, role: Role, kind: "user" | "token"): Principal {
  const isName = typeof name === "string" && name !== "" && name.length <= MOST_SUBJECT && !hasControlCharacter(name)
  return { id: sub, name: isName ? name : sub, scopes: scopesOfRole(role), subject: `${kind}:${sub}` }
}
