// A provider of OpenID Connect: where a browser is sent to sign in, and who it is when it comes back. Authorization code with PKCE.
import { createHash, timingSafeEqual } from "node:crypto"
import { CannotFetch, fetchJson } from "../fetch-json.ts"
import { MOST_OIDC_BYTES } from "../tokens/compact-form.ts"
import { FetchedKeys } from "../tokens/fetched-keys.ts"
import type { PublicAlgorithm } from "../tokens/token-keys.ts"
import { TOKEN_TYPE } from "../tokens/token-signer.ts"
import { type VerifiedToken, verifyToken } from "../tokens/token-verifier.ts"
import { type Discovered, readDiscovery } from "./discovery.ts"

export interface OidcOptions {
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a client that has none: PKCE alone then proves that the code is ours. */
  readonly clientSecret?: string | undefined
  /** Where the provider sends the browser back to, as it is registered there. */
  readonly redirectUrl: string
  readonly algorithm: PublicAlgorithm
  /** The claim that lists a person's groups. */
  readonly groupsClaim: string
}

/** What binds the answer of the provider to the browser that asked. */
export interface SignInSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface OidcPerson {
  readonly subject: string
  readonly name: string
  readonly groups: readonly string[]
}

/** The provider's answer proves nothing: the code is wrong, used, or of another; or the token is not good. */
export class NotVouchedFor extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = "NotVouchedFor"
  }
}

const DISCOVERED_FOR_MS = 3_600_000
/** The id token is judged once, when it has just been issued. How long others may use it does not matter here. */
const LONGEST_LIFE_SECONDS = 86_400

export class OidcProvider {
  readonly #options: OidcOptions
  readonly #keys: FetchedKeys
  #discovered: { readonly at: number; readonly found: Promise<Discovered> } | undefined

  constructor(options: OidcOptions) {
    this.#options = options
    const address = async () => (await this.#discover()).keysUrl
    this.#keys = new FetchedKeys({ address, algorithm: options.algorithm })
  }

  /** Where to send the browser. Throws `CannotFetch` where the provider does not answer. */
  async signInUrl({ state, nonce, verifier }: SignInSecrets): Promise<string> {
    const url = new URL((await this.#discover()).authorizationUrl)
    const asked = {
      response_type: "code",
      client_id: this.#options.clientId,
      redirect_uri: this.#options.redirectUrl,
      scope: "openid profile email",
      state,
      nonce,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
    return url.href
  }

  /** Who has signed in. Throws `NotVouchedFor`; `CannotFetch` and `KeysUnavailable` where the provider does not answer. */
  async person(code: string, { nonce, verifier }: SignInSecrets, nowMs: number): Promise<OidcPerson> {
    const { issuer, clientId: audience, algorithm } = this.#options
    const idToken = await this.#redeem(code, verifier)
    const rules = { issuer, audience, algorithm, keys: this.#keys, types: [TOKEN_TYPE, undefined] }
    const bounds = { mostBytes: MOST_OIDC_BYTES, longestLifeSeconds: LONGEST_LIFE_SECONDS }
    const token = await verifyToken(idToken, { ...rules, ...bounds }, nowMs)
    if (!token) throw new NotVouchedFor("the token of the provider is not good")
    if (!isSame(token.nonce, nonce)) throw new NotVouchedFor("the token of the provider is for another sign-in")
    if (Array.isArray(token.aud) && token.aud.length > 1 && token.azp !== audience)
      throw new NotVouchedFor("the token of the provider was made for another client")
    return this.#personOf(token)
  }

  #personOf(token: VerifiedToken): OidcPerson {
    const named = [token.preferred_username, token.email, token.name].find(isText)
    const groups = [token[this.#options.groupsClaim]].flat().filter(isText)
    return { subject: token.sub, name: named ?? token.sub, groups }
  }

  async #redeem(code: string, verifier: string): Promise<string> {
    const { tokenUrl, isBasic } = await this.#discover()
    const { clientId, clientSecret, redirectUrl } = this.#options
    const inHeader = clientSecret !== undefined && isBasic
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUrl, code_verifier: verifier }
    const proof = inHeader
      ? {}
      : { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
    const answer = await this.#exchange(tokenUrl, {
      form: { ...form, ...proof },
      headers: inHeader ? { authorization: basic(clientId, clientSecret) } : {},
    })
    const { id_token: idToken } = (answer ?? {}) as { id_token?: unknown }
    if (typeof idToken === "string") return idToken
    throw new NotVouchedFor("the provider gave no id_token")
  }

  async #exchange(
    url: string,
    asked: { form: Record<string, string>; headers: Record<string, string> },
  ): Promise<unknown> {
    try {
      return await fetchJson(url, { method: "POST", ...asked })
    } catch (error) {
      if (!(error instanceof CannotFetch) || error.status === undefined || error.status >= 500) throw error
      throw new NotVouchedFor("the provider does not know this code, or not any more", error)
    }
  }

  /** Asked once an hour; one that failed is asked again at the next sign-in. */
  #discover(): Promise<Discovered> {
    const known = this.#discovered
    if (known && performance.now() - known.at < DISCOVERED_FOR_MS) return known.found
    const found = readDiscovery(this.#options.issuer)
    const entry = { at: performance.now(), found }
    this.#discovered = entry
    found.catch(() => {
      if (this.#discovered === entry) this.#discovered = undefined
    })
    return found
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()
const isSame = (given: unknown, expected: string): boolean =>
  typeof given === "string" && timingSafeEqual(digestOf(given), digestOf(expected))

/** RFC 6749 requires that both are form-encoded first. */
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`
