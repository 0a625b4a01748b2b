// Keeps the guard of this process fresh, and writes down once a second what it did. Runs only where the guard is on.
import type { RunningGuard } from "@millrace/guard"
import { liveSettingsOf } from "../operations/flow/live-settings.ts"
import { guardNotesOf } from "../operations/guard/notes.ts"
import { pruneGuard } from "../operations/guard/prune-guard.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"

const FLUSH_MS = 1_000
const PRUNE_MS = 3_600_000

export class GuardService {
  readonly #kernel: Kernel
  readonly #guard: RunningGuard
  readonly #ends: (() => void)[] = []
  #working: Promise<void> | undefined

  constructor(kernel: Kernel, guard: RunningGuard) {
    this.#kernel = kernel
    this.#guard = guard
  }

  /** Resolves once blocks and settings are read. A change by an operator is read when the pulse tells of it, as other live settings are. */
  async start(): Promise<void> {
    await this.#guard.start()
    this.#ends.push(liveSettingsOf(this.#kernel).follow(() => this.#guard.refresh()))
    this.#every(FLUSH_MS, () => guardNotesOf(this.#kernel).flush(this.#kernel))
    this.#every(PRUNE_MS, () => pruneGuard(this.#kernel))
  }

  #every(ms: number, work: () => Promise<void>): void {
    const timer = setInterval(() => {
      this.#working ??= work()
        // What was not written is kept for the next time; whether the database answers is said elsewhere.
        .catch((error) => this.#kernel.log.debug({ err: error }, "what the guard did was not written down"))
        .finally(() => (this.#working = undefined))
    }, ms)
    this.#ends.push(() => clearInterval(timer))
  }

  /** Also writes what was noted last. */
  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end()
    await this.#working
    await this.#guard.close()
    await guardNotesOf(this.#kernel)
      .flush(this.#kernel)
      .catch(() => {})
  }
}
