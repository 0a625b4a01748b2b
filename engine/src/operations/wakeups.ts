// Who waits for which job type. A wake-up only shortens a wait: polling finds the work in any case.

interface Waiter {
  readonly jobTypes: readonly string[]
  readonly wake: () => void
}

/** What a caller had seen before it looked at the database: work that came since then ends its wait at once. */
export type Seen = number

export class Wakeups {
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #lastWoken = new Map<string, number>()
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
      for (const waiter of this.#waiters.get(jobType) ?? []) waiter.wake()
    }
  }

  /** Ends every wait, now and later: a draining engine answers waiting polls at once. */
  close(): void {
    this.#closed = true
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.wake()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The job types somebody waits for. */
  waitingFor(): string[] {
    return [...this.#waiters].filter(([, waiters]) => waiters.size > 0).map(([jobType]) => jobType)
  }

  /** Resolves when one of the types has work that came after `since`, when the time is over, or when the signal aborts. */
  wait(jobTypes: readonly string[], since: Seen, ms: number, signal?: AbortSignal): Promise<void> {
    const missed = jobTypes.some((jobType) => (this.#lastWoken.get(jobType) ?? 0) > since)
    if (missed || this.#closed || signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const waiter: Waiter = { jobTypes, wake: () => finish() }
      const timer = setTimeout(() => finish(), ms)
      const finish = () => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", finish)
        this.#remove(waiter)
        resolve()
      }
      signal?.addEventListener("abort", finish, { once: true })
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
