// The claims of this process that wait, by job type. A wake-up only shortens a wait: polling finds the work in any case.
import { perKernel } from "../../kernel/kernel.ts"
import type { ClaimedJob } from "./claimed-job.ts"

/** What a claim asks for. */
export interface WaitingClaim {
  readonly workerId: string
  readonly jobTypes: readonly string[]
  readonly maxJobs: number
  /** Undefined: by the kind and priority of each job. */
  readonly leaseMs?: number | undefined
  /** The worker is known to send heartbeats, also where it names no length. */
  readonly beats?: boolean
  /** The claim is only woken when there is work. It takes no job from the transaction that makes it. */
  readonly onlyLooks?: boolean
}

/** A waiting claim that one transaction has taken to fill; no other wake-up reaches it until it is filled or let go. */
export interface TakenClaim extends WaitingClaim {
  /** Without jobs, the waiting claim is only woken, and queries the database again. */
  readonly end: (jobs: readonly ClaimedJob[]) => void
}

interface Waiter extends TakenClaim {
  /** From here on neither time nor signal ends the wait. */
  readonly hold: () => void
}

/** A queue and the job type that workers ask for. */
export interface WokenQueue {
  readonly id: number
  readonly jobType: string
}

/** What a caller had seen before it looked at the database: work that came since then ends its wait at once. */
export type Seen = number

export class Wakeups {
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #lastWoken = new Map<string, Seen>()
  /** What is known of single queues; a wake-up from elsewhere names the job type alone. */
  readonly #wokenQueues = new Map<number, Seen>()
  readonly #wokenTypes = new Map<string, Seen>()
  readonly #emptyQueues = new Map<number, Seen>()
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

  /** Called after commit, with the queues that have new ready jobs. */
  wake(queues: readonly WokenQueue[]): void {
    if (queues.length === 0) return
    this.#count += 1
    const jobTypes = new Set<string>()
    for (const { id, jobType } of queues) {
      this.#wokenQueues.set(id, this.#count)
      jobTypes.add(jobType)
    }
    this.#end(jobTypes)
    this.#listener(jobTypes)
  }

  wakeFromElsewhere(jobTypes: Iterable<string>): void {
    this.#count += 1
    for (const jobType of jobTypes) this.#wokenTypes.set(jobType, this.#count)
    this.#end(jobTypes)
  }

  /** Something else may go on now: a pace, a place in flight, the end of a pause. Other processes learn it by themselves. */
  wakeHere(queues: readonly WokenQueue[]): void {
    this.#count += 1
    for (const { id } of queues) this.#wokenQueues.set(id, this.#count)
    this.#end(new Set(queues.map(({ jobType }) => jobType)))
  }

  #end(jobTypes: Iterable<string>): void {
    for (const jobType of jobTypes) {
      this.#lastWoken.set(jobType, this.#count)
      for (const waiter of this.#waiters.get(jobType) ?? []) waiter.end([])
    }
  }

  /** A claim that looked after `seen` left nothing ready in this queue. */
  foundEmpty(queueId: number, seen: Seen): void {
    this.#emptyQueues.set(queueId, seen)
  }

  /** Nothing is known to have come since the queue was found empty: there is no reason to look again. */
  isQuiet({ id, jobType }: WokenQueue): boolean {
    const emptyAt = this.#emptyQueues.get(id) ?? -1
    return emptyAt >= (this.#wokenQueues.get(id) ?? 0) && emptyAt >= (this.#wokenTypes.get(jobType) ?? 0)
  }

  /** Whether claims of one of these types were woken after `since`. */
  hasCome(jobTypes: readonly string[], since: Seen): boolean {
    return jobTypes.some((jobType) => (this.#lastWoken.get(jobType) ?? 0) > since)
  }

  /** Ends every wait, now and later: a draining engine answers waiting polls at once. */
  close(): void {
    this.#closed = true
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.end([])
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The job types that claims wait for. */
  waitingFor(): string[] {
    return [...this.#waiters].filter(([, waiters]) => waiters.size > 0).map(([jobType]) => jobType)
  }

  /** Whether a claim waits that a transaction which makes such a job could fill. */
  isWaited(jobType: string): boolean {
    return this.#longest(jobType) !== undefined
  }

  /** The claim that has waited longest for a type, to be filled by the transaction that is about to make such a job. */
  take(jobType: string): TakenClaim | undefined {
    const waiter = this.#longest(jobType)
    waiter?.hold()
    return waiter
  }

  #longest(jobType: string): Waiter | undefined {
    for (const waiter of this.#waiters.get(jobType) ?? []) if (!waiter.onlyLooks) return waiter
    return undefined
  }

  /** Resolves with jobs that were handed over, or with none when it is time to look: work came after `since`, time is up, or the signal aborts. */
  wait(claim: WaitingClaim, since: Seen, ms: number, signal?: AbortSignal): Promise<readonly ClaimedJob[]> {
    if (this.hasCome(claim.jobTypes, since) || this.#closed || signal?.aborted) return Promise.resolve([])
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
      const { workerId, jobTypes, maxJobs, leaseMs, onlyLooks = false } = claim
      const waiter: Waiter = { workerId, jobTypes, maxJobs, leaseMs, onlyLooks, hold, end }
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

export const wakeupsOf = perKernel(() => new Wakeups())
