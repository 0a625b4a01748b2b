// Says once that the database went away or refuses work, and once that it is back, however many requests, loops and claims meet it.
import { isAway, isTrouble } from "../../db/errors.ts"
import { type Kernel, perKernel } from "./kernel.ts"
import { pingDatabase } from "./run-operation.ts"

/** One watch for each process. Its doors report failures, and so does its pulse, which notices an outage when there are no requests. */
export const databaseWatchOf = perKernel((kernel) => new DatabaseWatch(kernel))

/** A full disk refuses each write and answers each question: what ends is told when nothing was refused for so long. */
const CALM_MS = 10_000

type Trouble = "is away" | "refuses work"

export class DatabaseWatch {
  readonly #kernel: Kernel
  #told: Trouble | undefined
  #failedAt = 0
  #asking = false

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** Whether it is the database's fault, and so has been told here. */
  failed(error: unknown): boolean {
    if (!isTrouble(error)) return false
    this.#failedAt = performance.now()
    const trouble = isAway(error) ? "is away" : "refuses work"
    if (this.#told === undefined || (this.#told === "refuses work" && trouble === "is away")) {
      this.#told = trouble
      this.#kernel.log.error({ err: error }, `the database ${trouble}: calls fail and work waits until it is back`)
    }
    return true
  }

  /** Some answers need no database, so a good one is a reason to ask, not a proof. */
  answered(): void {
    if (this.#told === undefined || this.#asking) return
    if (this.#told === "is away" || performance.now() - this.#failedAt > CALM_MS) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#asking = true
    try {
      await pingDatabase(this.#kernel)
      this.#told = undefined
      // A warning, so that a log that begins at warnings, as the library's does, has the end of an outage as well as its beginning.
      this.#kernel.log.warn("the database is back")
    } catch {
      // Still away.
    } finally {
      this.#asking = false
    }
  }
}
