// Says once that the database went away and once that it is back, however many requests meet it.
import { isDatabaseAway } from "../../operations/run-operation.ts"
import type { RestOptions } from "./options.ts"

export class DatabaseWatch {
  readonly #options: Pick<RestOptions, "log" | "ready">
  #away = false
  #asking = false

  constructor(options: Pick<RestOptions, "log" | "ready">) {
    this.#options = options
  }

  failed(error: unknown): void {
    if (this.#away || !isDatabaseAway(error)) return
    this.#away = true
    this.#options.log.error({ err: error }, "the database is away: requests are answered with 503 until it is back")
  }

  /** Some answers need no database, so a good one is a reason to ask, not a proof. */
  answered(): void {
    if (this.#away && !this.#asking) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#asking = true
    try {
      if (await this.#options.ready()) this.#back()
    } catch {
      // Still away.
    } finally {
      this.#asking = false
    }
  }

  #back(): void {
    this.#away = false
    this.#options.log.info("the database is back")
  }
}
