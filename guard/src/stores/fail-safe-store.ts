// A shared store that may go away. Two states, and only `#leave` and `#return` change them:
// - present: a call waits for at most 50 ms; one that fails or is late is a miss, and is answered by the memory of this process
// - away, after 5 misses in a row: no call waits; the memory answers all, until a probe that writes succeeds
// The memory is not merged back. It counts along while the store is present, and a call needs a place in both: neither an outage nor a store
// that comes back empty gives a process a second hundred.
import type { Clock } from "../clock.ts"
import type { Observer } from "../observer.ts"
import type { Awaitable } from "./awaitable.ts"
import type { MemoryStore } from "./memory-store.ts"
import type { RedisStore } from "./redis-store.ts"
import type { Answer, FailureNote, Look, LookQuestion, Question, RateQuestion, Store, StoreState } from "./store.ts"

interface FailSafeParts {
  readonly shared: RedisStore
  readonly memory: MemoryStore
  readonly clock: Clock
  readonly observer: Observer
}

const WAIT_MS = 50
/** A call is noted here after the store has noted it, and leaves the window later: it is no longer held against others for this long. */
const LATER_MS = 2 * WAIT_MS
const MOST_MISSES = 5
const PROBE_MS = 1_000

export class FailSafeStore implements Store {
  readonly #parts: FailSafeParts
  #misses = 0
  #isAway = false
  #isClosed = false
  #cancelProbe: (() => void) | undefined

  constructor(parts: FailSafeParts) {
    this.#parts = parts
  }

  get state(): StoreState {
    return { kind: "redis", isUp: !this.#isAway }
  }

  ask(question: Question): Awaitable<Answer> {
    const { shared, memory } = this.#parts
    const local = (): Answer => ({ ...memory.ask(question), isLocal: true })
    return this.#tryShared(
      () => shared.ask(question),
      local,
      (answer) => this.#countAlong(question.rate, answer),
    )
  }

  /** A store that has lost its counts admits what this process has admitted already. */
  #countAlong(asked: RateQuestion | undefined, answer: Answer): Answer {
    if (asked === undefined || !answer.rate?.isAdmitted) return answer
    const { memory } = this.#parts
    const left = asked.requests - memory.countOf(asked.key, asked.windowMs - LATER_MS)
    memory.ask({ rate: asked, blocks: [] })
    if (left > 0) return { ...answer, rate: { isAdmitted: true, remaining: Math.min(answer.rate.remaining, left - 1) } }
    const rate = { isAdmitted: false, remaining: 0 }
    return asked.isEnforced ? { rate } : { ...answer, rate }
  }

  noteFailures(notes: readonly FailureNote[]): Awaitable<readonly number[]> {
    const { shared, memory } = this.#parts
    const counts = memory.noteFailures(notes)
    return this.#tryShared(
      () => shared.noteFailures(notes),
      () => counts,
      (all) => all.map((count, at) => Math.max(count, counts[at] ?? 0)),
    )
  }

  block(key: string, reason: string, forMs: number): Awaitable<void> {
    const { shared, memory } = this.#parts
    memory.block(key, reason, forMs)
    return this.#tryShared(() => shared.block(key, reason, forMs), nothing)
  }

  /** Rejects while the store is away: what it does not say lifts no block. */
  blockLeftMs(key: string): Awaitable<number> {
    return this.#tryShared(() => this.#parts.shared.blockLeftMs(key), refuse)
  }

  remember(key: string, address: string): Awaitable<void> {
    const { shared, memory } = this.#parts
    memory.remember(key, address)
    return this.#tryShared(() => shared.remember(key, address), nothing)
  }

  isRemembered(key: string, address: string): Awaitable<boolean> {
    const { shared, memory } = this.#parts
    return memory.isRemembered(key, address) || this.#tryShared(() => shared.isRemembered(key, address), no)
  }

  forget(keys: readonly string[]): Awaitable<void> {
    const { shared, memory } = this.#parts
    memory.forget(keys)
    return this.#tryShared(() => shared.forget(keys), nothing)
  }

  look(question: LookQuestion): Awaitable<Look> {
    const { shared, memory } = this.#parts
    return this.#tryShared(
      () => shared.look(question),
      () => memory.look(question),
    )
  }

  #tryShared<T>(call: () => Promise<T>, local: () => Awaitable<T>, along = (value: T): T => value): Awaitable<T> {
    if (this.#isAway) return local()
    return this.#inTime(call()).then(
      (value) => {
        this.#misses = 0
        return along(value)
      },
      (error) => {
        this.#missed(error)
        return local()
      },
    )
  }

  #inTime<T>(call: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const cancel = this.#parts.clock.after(WAIT_MS, () => reject(new Error(`no answer within ${WAIT_MS} ms`)))
      call.then(resolve, reject).finally(cancel)
    })
  }

  #missed(error: Error): void {
    this.#parts.observer.storeMissed?.()
    this.#misses++
    if (this.#misses >= MOST_MISSES && !this.#isAway) this.#leave(error)
  }

  #leave(error: Error): void {
    this.#isAway = true
    this.#parts.observer.storeChanged?.(false, error.message)
    this.#probeLater()
  }

  #probeLater(): void {
    if (this.#isClosed) return
    this.#cancelProbe = this.#parts.clock.after(PROBE_MS, () => {
      void this.#inTime(this.#parts.shared.probe()).then(
        () => this.#return(),
        () => this.#probeLater(),
      )
    })
  }

  #return(): void {
    this.#isAway = false
    this.#misses = 0
    this.#parts.observer.storeChanged?.(true, "it answers again")
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelProbe?.()
    await this.#parts.shared.close()
  }
}

const nothing = (): void => {}
const no = (): boolean => false
/** Rejects also while the store is away: a caller that asks in the background must not get a synchronous error. */
const refuse = (): Promise<never> => Promise.reject(new Error("the shared store is away"))
