// Answers and locks in the memory of one API process, for machines without Redis.
import { randomUUID } from "node:crypto"
import type { Answers, Found, Lifetimes, StoredAnswer } from "./answers.ts"

interface Until<T> {
  readonly value: T
  readonly untilMs: number
}

export class MemoryAnswers implements Answers {
  readonly #answers = new Map<string, Until<StoredAnswer>>()
  readonly #locks = new Map<string, Until<string>>()
  readonly #lifetimes: Lifetimes
  readonly #now: () => number

  constructor(lifetimes: Lifetimes, now: () => number = Date.now) {
    this.#lifetimes = lifetimes
    this.#now = now
  }

  async begin(key: string): Promise<Found> {
    const answer = this.#live(this.#answers, key)
    if (answer) return { answer }
    if (this.#live(this.#locks, key)) return {}
    const lock = randomUUID()
    this.#locks.set(key, { value: lock, untilMs: this.#now() + this.#lifetimes.lockSeconds * 1_000 })
    return { lock }
  }

  async keep(key: string, lock: string, answer: StoredAnswer): Promise<void> {
    this.#answers.set(key, { value: answer, untilMs: this.#now() + this.#lifetimes.answerSeconds * 1_000 })
    this.#forgetOldest()
    await this.release(key, lock)
  }

  async release(key: string, lock: string): Promise<void> {
    if (this.#locks.get(key)?.value === lock) this.#locks.delete(key)
  }

  async isUp(): Promise<boolean> {
    return true
  }

  async close(): Promise<void> {}

  #live<T>(map: Map<string, Until<T>>, key: string): T | undefined {
    const found = map.get(key)
    return found && found.untilMs > this.#now() ? found.value : undefined
  }

  /** A map keeps the order of its inserts, and all answers live equally long: the first is the oldest. */
  #forgetOldest(): void {
    for (const [key, { untilMs }] of this.#answers) {
      if (untilMs > this.#now() && this.#answers.size <= MOST_ANSWERS) return
      this.#answers.delete(key)
    }
  }
}

const MOST_ANSWERS = 200_000
