// Bounds a storm of retries: of each job type no more come back in a second than a tenth of what succeeds, and a few more. Those beyond it
// come back later; none is given up for it.

const FLOOR_PER_SECOND = 20
const OF_SUCCESSES = 0.1
/** Successes are remembered for about so long. */
const MEMORY_MS = 10_000
/** The longest that a retry is put off. */
const MOST_MS = 600_000

interface Budget {
  successes: number
  countedAt: number
  /** When the next retry has room. */
  nextAt: number
}

export class RetryBudget {
  readonly #budgets = new Map<string, Budget>()

  succeeded(jobType: string, count: number, nowMs: number): void {
    const budget = this.#of(jobType, nowMs)
    this.#decay(budget, nowMs)
    budget.successes += count
  }

  /** The delay of a retry: what its policy says, or until there is room. */
  delayMs(jobType: string, wantedMs: number, nowMs: number): number {
    const budget = this.#of(jobType, nowMs)
    this.#decay(budget, nowMs)
    const perSecond = FLOOR_PER_SECOND + (OF_SUCCESSES * budget.successes * 1_000) / MEMORY_MS
    const at = Math.max(budget.nextAt, nowMs)
    budget.nextAt = Math.min(at + 1_000 / perSecond, nowMs + MOST_MS)
    return Math.max(wantedMs, Math.round(at - nowMs))
  }

  #of(jobType: string, nowMs: number): Budget {
    const budget = this.#budgets.get(jobType) ?? { successes: 0, countedAt: nowMs, nextAt: 0 }
    this.#budgets.set(jobType, budget)
    return budget
  }

  #decay(budget: Budget, nowMs: number): void {
    budget.successes *= Math.exp(-Math.max(0, nowMs - budget.countedAt) / MEMORY_MS)
    budget.countedAt = nowMs
  }
}
