// Keeps the leases of all running jobs from a thread of its own, so that only a dead process loses them.
import { Worker } from "node:worker_threads"
import { errorFields, type Logger } from "../calls/logger.ts"
import { LeaseLostError } from "./handler-errors.ts"
import type { LeasedJob, LeaseEvents, LeaseSpan } from "./lease.ts"
import type { KeptLease, LeaseKeeper } from "./lease-keeper.ts"
import type { FromThread, LeaseNumber, ThreadSetup, ToThread } from "./thread-messages.ts"

interface Kept {
  goneAt: number
  readonly lost: LeaseEvents["lost"]
}

export class ThreadedLeaseKeeper implements LeaseKeeper {
  readonly #setup: ThreadSetup
  readonly #logger: Logger
  readonly #leases = new Map<LeaseNumber, Kept>()
  #thread: Worker | undefined
  #last: LeaseNumber = 0

  constructor(setup: ThreadSetup, logger: Logger) {
    this.#setup = setup
    this.#logger = logger
    this.#thread = this.#spawn()
  }

  keep(job: LeasedJob, span: LeaseSpan, lost: LeaseEvents["lost"]): KeptLease {
    const lease = ++this.#last
    const kept: Kept = { goneAt: span.goneAt, lost }
    this.#leases.set(lease, kept)
    this.#tell({ kind: "keep", lease, job: { id: job.id, leaseToken: job.leaseToken }, span })
    return {
      get goneAt() {
        return kept.goneAt
      },
      release: () => this.#release(lease),
    }
  }

  async close(): Promise<void> {
    this.#leases.clear()
    await this.#thread?.terminate()
  }

  #spawn(): Worker {
    const thread = new Worker(new URL("./heartbeat-thread.js", import.meta.url), { workerData: this.#setup })
    thread.on("message", (message: FromThread) => this.#hear(message))
    thread.on("error", (error) => this.#logger.error(errorFields(error), "the heartbeat thread broke"))
    thread.on("exit", () => this.#loseAll())
    // The runner decides how long the process lives.
    thread.unref()
    return thread
  }

  #release(lease: LeaseNumber): void {
    if (this.#leases.delete(lease)) this.#tell({ kind: "release", lease })
  }

  #hear(message: FromThread): void {
    if (message.kind === "warning") this.#logger.warn(message.fields, message.message)
    else if (message.kind === "extended") this.#extend(message.lease, message.span)
    else this.#lose(message.lease, new LeaseLostError(message.message), message.refused)
  }

  #extend(lease: LeaseNumber, span: LeaseSpan): void {
    const kept = this.#leases.get(lease)
    if (kept) kept.goneAt = span.goneAt
  }

  #lose(lease: LeaseNumber, reason: LeaseLostError, refused: boolean): void {
    const kept = this.#leases.get(lease)
    this.#leases.delete(lease)
    kept?.lost(reason, refused)
  }

  /** Without its heartbeats no lease can be trusted; the next job starts the thread anew. */
  #loseAll(): void {
    this.#thread = undefined
    for (const lease of [...this.#leases.keys()])
      this.#lose(lease, new LeaseLostError("the heartbeat thread ended"), false)
  }

  #tell(message: ToThread): void {
    this.#thread ??= this.#spawn()
    this.#thread.postMessage(message)
  }
}
