// Who waits for which job type. A wake-up only shortens a wait: polling finds the work in any case.
import type { ClaimedJob } from "./claimed-job.ts"

/** A claim that waits for work. */
export interface WaitingClaim {
  readonly workerId: string
  readonly jobTypes: readonly string[]
  readonly maxJobs: number
  readonly leaseMs: number
}

/** A waiting claim that one transaction has taken to fill; nobody else wakes it until it is filled or let go. */
export interface TakenClaim extends WaitingClaim {
  /** With no job it is merely woken, and looks for itself. */
  readonly end: (jobs: readonly ClaimedJob[]) => void
}

interface Waiter extends TakenClaim {
  /** From here on neither time nor signal ends the wait. */
  readonly hold: () => void
}

/** What a caller had seen before it looked at the database: work that came since then ends its wait at once. */
export type Seen = number

export class Wakeups {
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #lastWoken = new Map<string, Seen>()
  readonly #lastEmpty = new Map<string, Seen>()
  #count = 0
  #closed = false
  #listener: (jobTypes: Iterable<string>) => void = () => {}

  seen(): Seen {
    return this.#count
  }

  /** Told of every wake-up that began in this process. */
  onLocalWake(listener: (jobTypes: Iterable<string>) => void): void {
    this.#listener = listener
  }

  /** Called after commit, with the job types that have new ready jobs. */
  wake(jobTypes: Iterable<string>): void {
    this.wakeFromElsewhere(jobTypes)
    this.#listener(jobTypes)
  }

  wakeFromElsewhere(jobTypes: Iterable<string>): void {
    this.#count += 1
    for (const jobType of jobTypes) {
      this.#lastWoken.set(jobType, this.#count)
      for (const waiter of this.#waiters.get(jobType) ?? []) waiter.end([])
    }
  }

  /** A claim that looked after `seen` left nothing ready of these types. */
  foundEmpty(jobTypes: readonly string[], seen: Seen): void {
    for (const jobType of jobTypes) this.#lastEmpty.set(jobType, seen)
  }

  /** Nothing is known to have come since the types were found empty: there is no reason to look again. */
  areQuiet(jobTypes: readonly string[]): boolean {
    return jobTypes.every((jobType) => (this.#lastEmpty.get(jobType) ?? -1) >= (this.#lastWoken.get(jobType) ?? 0))
  }

  /** Ends every wait, now and later: a draining engine answers waiting polls at once. */
  close(): void {
    this.#closed = true
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.end([])
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The job types somebody waits for. */
  waitingFor(): string[] {
    return [...this.#waiters].filter(([, waiters]) => waiters.size > 0).map(([jobType]) => jobType)
  }

  /** The claim that has waited longest for a type, to be filled by whoever is about to make such a job. */
  take(jobType: string): TakenClaim | undefined {
    const [waiter] = this.#waiters.get(jobType) ?? []
    waiter?.hold()
    return waiter
  }

  /** Resolves with jobs that were handed over, or with none when it is time to look: work came after `since`, time is up, or the signal aborts. */
  wait(claim: WaitingClaim, since: Seen, ms: number, signal?: AbortSignal): Promise<readonly ClaimedJob[]> {
    const missed = claim.jobTypes.some((jobType) => (this.#lastWoken.get(jobType) ?? 0) > since)
    if (missed || this.#closed || signal?.aborted) return Promise.resolve([])
    return new Promise((resolve) => {
      const giveUp = () => waiter.end([])
      const timer = setTimeout(giveUp, ms)
      const hold = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", giveUp)
        this.#remove(waiter)
      }
      const end = (jobs: readonly ClaimedJob[]) => {
        hold()
        resolve(jobs)
      }
      const { workerId, jobTypes, maxJobs, leaseMs } = claim
      const waiter: Waiter = { workerId, jobTypes, maxJobs, leaseMs, hold, end }
      signal?.addEventListener("abort", giveUp, { once: true })
      this.#add(waiter)
    })
  }

  #add(waiter: Waiter): void {
    for (const jobType of waiter.jobTypes) {
      const waiters = this.#waiters.get(jobType) ?? new Set()
      waiters.add(waiter)
      this.#waiters.set(jobType, waiters)
    }
  }

  #remove(waiter: Waiter): void {
    for (const jobType of waiter.jobTypes) {
      const waiters = this.#waiters.get(jobType)
      waiters?.delete(waiter)
      if (waiters?.size === 0) this.#waiters.delete(jobType)
    }
  }
}
