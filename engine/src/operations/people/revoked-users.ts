// Whose tokens are refused before they expire: read from the database every two seconds while tokens are shown, and not for each.
import type { Database } from "../../db/database.ts"
import { listRevoked } from "../../store/people/users.ts"

/** With the three seconds that a stream or a session may add, a token is refused within five everywhere. */
const REMEMBER_MS = 2_000

export class RevokedUsers {
  readonly #db: Database
  /** The lowest version of a token that is still good, by user. */
  #versions: ReadonlyMap<string, number> = new Map()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** Throws while the list cannot be read: a token that may have been taken back opens nothing. */
  async has(userId: string, tokenVersion: number): Promise<boolean> {
    if (performance.now() - this.#readAt >= REMEMBER_MS) await this.#read()
    return tokenVersion < (this.#versions.get(userId) ?? 0)
  }

  #read(): Promise<void> {
    this.#reading ??= this.#ask().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #ask(): Promise<void> {
    // The time of the question counts, not that of the answer: a change in between may be missing in the answer.
    const askedAt = performance.now()
    const rows = await listRevoked(this.#db)
    this.#versions = new Map(rows.map(({ id, token_version }) => [id, token_version]))
    this.#readAt = askedAt
  }
}
