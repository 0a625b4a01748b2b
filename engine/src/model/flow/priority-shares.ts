// Which priority the next jobs come from. Deterministic: every priority that has work earns its share of each pick and pays one for a pick of its
// own; the priority that is owed most is next. A priority without work earns nothing and owes nothing, so none starves and no pick is lost.
import { PRIORITIES, type Priority } from "../definitions/definition.ts"
import type { Weights } from "./weights.ts"

export type Picks = ReadonlyMap<Priority, number>

export interface LaneCount {
  readonly asked: number
  readonly got: number
}

export class PriorityShares {
  readonly #owed: Record<Priority, number> = { critical: 0, high: 0, normal: 0 }

  /** How many of the next jobs come from each of the priorities that may have some. */
  deal(count: number, priorities: readonly Priority[], weights: Weights): Picks {
    const shares = sharesOf(priorities, weights)
    const owed = { ...this.#owed }
    const picks = new Map<Priority, number>()
    for (let n = 0; n < count; n++) {
      const priority = next(shares, owed)
      if (priority === undefined) break
      for (const [each, share] of shares) owed[each] += share
      owed[priority] -= 1
      picks.set(priority, (picks.get(priority) ?? 0) + 1)
    }
    return picks
  }

  /** What became of a deal. A priority that gave fewer jobs than it was asked for has run empty: its debt is reset to zero. */
  settle(counts: ReadonlyMap<Priority, LaneCount>, priorities: readonly Priority[], weights: Weights): void {
    const full = priorities.filter((priority) => (counts.get(priority)?.got ?? 0) >= (counts.get(priority)?.asked ?? 0))
    const shares = sharesOf(full, weights)
    const given = full.reduce((sum, priority) => sum + (counts.get(priority)?.got ?? 0), 0)
    for (const priority of PRIORITIES) {
      const share = shares.get(priority)
      // A priority whose jobs were not asked for by its weight, because no other had any, has run up no debt.
      this.#owed[priority] =
        share === undefined ? 0 : this.#owed[priority] + share * given - (counts.get(priority)?.got ?? 0)
    }
    this.#level([...shares.keys()])
  }

  /** The debts always sum to zero: what one priority lost when it ran empty is not owed to the others for ever. */
  #level(priorities: readonly Priority[]): void {
    const mean = priorities.reduce((sum, priority) => sum + this.#owed[priority], 0) / Math.max(1, priorities.length)
    for (const priority of priorities) this.#owed[priority] -= mean
  }
}

/** Shares by weight, for the priorities that have a weight. If none of them has one, all get the same share. */
function sharesOf(priorities: readonly Priority[], weights: Weights): Map<Priority, number> {
  const weighty = priorities.filter((priority) => weights[priority] > 0)
  if (weighty.length === 0) return new Map(priorities.map((priority) => [priority, 1 / priorities.length]))
  const sum = weighty.reduce((total, priority) => total + weights[priority], 0)
  return new Map(weighty.map((priority) => [priority, weights[priority] / sum]))
}

function next(shares: ReadonlyMap<Priority, number>, owed: Readonly<Record<Priority, number>>): Priority | undefined {
  let best: Priority | undefined
  for (const priority of PRIORITIES) {
    const share = shares.get(priority)
    if (share === undefined) continue
    // Weights are whole percents: a difference below that is rounding, and the more urgent priority goes first.
    if (best === undefined || owed[priority] + share > owed[best] + shares.get(best)! + 1e-9) best = priority
  }
  return best
}
