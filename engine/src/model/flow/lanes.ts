// Which lane the next jobs come from. Deterministic: every lane that has work earns its share of each pick and pays one for a pick of its
// own; the lane that is owed most is next. A lane without work earns nothing and owes nothing, so nobody starves and no pick is lost.
import type { Priority } from "../definitions/definition.ts"
import { LANES, type Weights } from "./weights.ts"

export type Picks = ReadonlyMap<Priority, number>

export interface LaneCount {
  readonly asked: number
  readonly got: number
}

export class LaneShares {
  readonly #owed: Record<Priority, number> = { critical: 0, high: 0, normal: 0 }

  /** How many of the next jobs come from each of the lanes that may have some. */
  deal(count: number, lanes: readonly Priority[], weights: Weights): Picks {
    const shares = sharesOf(lanes, weights)
    const owed = { ...this.#owed }
    const picks = new Map<Priority, number>()
    for (let n = 0; n < count; n++) {
      const lane = next(shares, owed)
      if (lane === undefined) break
      for (const [each, share] of shares) owed[each] += share
      owed[lane] -= 1
      picks.set(lane, (picks.get(lane) ?? 0) + 1)
    }
    return picks
  }

  /** What became of a deal. A lane that gave less than it was asked for has no more: it is square. */
  settle(counts: ReadonlyMap<Priority, LaneCount>, lanes: readonly Priority[], weights: Weights): void {
    const full = lanes.filter((lane) => (counts.get(lane)?.got ?? 0) >= (counts.get(lane)?.asked ?? 0))
    const shares = sharesOf(full, weights)
    const given = full.reduce((sum, lane) => sum + (counts.get(lane)?.got ?? 0), 0)
    for (const lane of LANES) {
      const share = shares.get(lane)
      // A lane whose jobs were not asked for by its weight, because nobody else had any, has run up no debt.
      this.#owed[lane] = share === undefined ? 0 : this.#owed[lane] + share * given - (counts.get(lane)?.got ?? 0)
    }
    this.#level([...shares.keys()])
  }

  /** Owed in all is nothing: what a lane lost when it ran empty is not the others' gain for ever. */
  #level(lanes: readonly Priority[]): void {
    const mean = lanes.reduce((sum, lane) => sum + this.#owed[lane], 0) / Math.max(1, lanes.length)
    for (const lane of lanes) this.#owed[lane] -= mean
  }
}

/** Of the lanes with weight; where none of them has any, they share alike. */
function sharesOf(lanes: readonly Priority[], weights: Weights): Map<Priority, number> {
  const weighty = lanes.filter((lane) => weights[lane] > 0)
  if (weighty.length === 0) return new Map(lanes.map((lane) => [lane, 1 / lanes.length]))
  const sum = weighty.reduce((total, lane) => total + weights[lane], 0)
  return new Map(weighty.map((lane) => [lane, weights[lane] / sum]))
}

function next(shares: ReadonlyMap<Priority, number>, owed: Readonly<Record<Priority, number>>): Priority | undefined {
  let best: Priority | undefined
  for (const lane of LANES) {
    const share = shares.get(lane)
    if (share === undefined) continue
    // Weights are whole percents: a difference below that is rounding, and the more urgent lane goes first.
    if (best === undefined || owed[lane] + share > owed[best] + (shares.get(best) ?? 0) + 1e-9) best = lane
  }
  return best
}
