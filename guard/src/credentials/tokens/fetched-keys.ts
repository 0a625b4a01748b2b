// The public keys of another issuer, from the address that the operator has named. Kept for a while; after an hour without an answer
// no token of that issuer is taken any more.
import type { KeyObject } from "node:crypto"
import { fetchJson } from "../fetch-json.ts"
import { type KeySource, type PublicAlgorithm, publishedKeys } from "./token-keys.ts"

/** The keys cannot be had now: neither a good nor a bad token, and the call may be tried again. */
export class KeysUnavailable extends Error {
  constructor(cause: unknown) {
    super("the keys of the issuer cannot be read now", { cause })
    this.name = "KeysUnavailable"
  }
}

const FRESH_MS = 600_000
const USABLE_MS = 3_600_000
/** A token can name any key: without a pause, tokens that are made up would be a flood of requests to the issuer. */
const ASK_AGAIN_MS = 30_000

interface FetchedOptions {
  /** Asked when it is needed first: a provider may have to be asked for it. */
  readonly address: () => string | Promise<string>
  readonly algorithm: PublicAlgorithm
  /** In milliseconds, of a clock that only goes forward. */
  readonly nowMs?: () => number
}

export class FetchedKeys implements KeySource {
  readonly #options: FetchedOptions
  readonly #nowMs: () => number
  #keys: KeySource | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  constructor(options: FetchedOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  async find(kid: string | undefined): Promise<KeyObject | undefined> {
    if (this.#age() > FRESH_MS) await this.#ask()
    const found = await this.#known()?.find(kid)
    if (found) return found
    // A new key of the issuer is known by its name before our copy has it.
    await this.#ask()
    const keys = this.#known()
    if (!keys) throw new KeysUnavailable(undefined)
    return keys.find(kid)
  }

  #age = (): number => this.#nowMs() - this.#fetchedAt
  #known = (): KeySource | undefined => (this.#age() <= USABLE_MS ? this.#keys : undefined)

  /** One request at a time. One that fails leaves what is known. */
  #ask(): Promise<void> {
    if (this.#asking) return this.#asking
    if (this.#nowMs() - this.#askedAt < ASK_AGAIN_MS) return Promise.resolve()
    this.#askedAt = this.#nowMs()
    this.#asking = this.#fetch().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #fetch(): Promise<void> {
    try {
      const { address, algorithm } = this.#options
      this.#keys = publishedKeys(await fetchJson(await address()), algorithm)
      this.#fetchedAt = this.#nowMs()
    } catch (error) {
      if (!this.#known()) throw new KeysUnavailable(error)
    }
  }
}
