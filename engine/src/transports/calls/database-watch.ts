// Says once that the database went away or refuses work, and once that it is back, however many requests meet it.
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { isDatabaseAway, isDatabaseTrouble, pingDatabase } from "../../operations/kernel/run-operation.ts"
import type { Logger } from "../../support/log.ts"

export class DatabaseWatch {
  readonly #kernel: Kernel
  readonly #log: Logger
  #away = false
  #asking = false

  constructor(kernel: Kernel, log: Logger) {
    this.#kernel = kernel
    this.#log = log
  }

  failed(error: unknown): void {
    if (this.#away || !isDatabaseTrouble(error)) return
    this.#away = true
    const what = isDatabaseAway(error) ? "is away" : "refuses work"
    this.#log.error({ err: error }, `the database ${what}: requests are answered with 503 until it is back`)
  }

  /** Some answers need no database, so a good one is a reason to ask, not a proof. */
  answered(): void {
    if (this.#away && !this.#asking) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#asking = true
    try {
      await pingDatabase(this.#kernel)
      this.#away = false
      this.#log.info("the database is back")
    } catch {
      // Still away.
    } finally {
      this.#asking = false
    }
  }
}
