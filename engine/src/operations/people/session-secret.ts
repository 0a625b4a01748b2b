// The secret that sessions and sign-ins are marked with: made with the schema, the same for every process, and never changed.
import type { Database } from "../../db/database.ts"
import { getSessionSecret } from "../../store/people/sessions.ts"

export class SessionSecret {
  readonly #db: Database
  #secret: Promise<Buffer> | undefined

  constructor(db: Database) {
    this.#db = db
  }

  /** Once a process has read it, it asks no more. */
  load(): Promise<Buffer> {
    this.#secret ??= getSessionSecret(this.#db).catch((error) => {
      this.#secret = undefined
      throw error
    })
    return this.#secret
  }
}
