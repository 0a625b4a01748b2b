// Counts what a flood has met, job by job.
import type { Cut } from "../server.ts"
import type { Delivery } from "./deliveries.ts"
import type { FloodFacts } from "./flood-facts.ts"
import { type Evidence, isKnown, isStale } from "./judge-flood.ts"
import type { Ledger } from "./ledger.ts"
import { type Range, thereBefore } from "./ranges.ts"

export class Tally {
  readonly #ledger: Ledger
  readonly #reports = { all: 0, accepted: 0, unresolved: 0 }
  readonly #stale = { all: 0, accepted: 0 }
  #takenBack = 0
  #late = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  get jobs(): number {
    return jobsIn(this.#ledger.ranges)
  }

  count(evidence: Evidence): void {
    const [row] = evidence.rows
    for (const delivery of evidence.deliveries) {
      if (delivery.isAmbiguous) this.#countAmbiguous(delivery)
      this.#countStale(delivery, evidence)
      if (row && !isKnown(delivery, row)) this.#takenBack += 1
    }
  }

  #countAmbiguous({ verdict }: Delivery): void {
    this.#reports.all += 1
    if (verdict === "accepted") this.#reports.accepted += 1
    if (verdict === "none") this.#reports.unresolved += 1
  }

  #countStale(delivery: Delivery, evidence: Evidence): void {
    const { verdict, isAmbiguous, reportedAt, until } = delivery
    const isAccepted = verdict === "accepted"
    if (isStale(delivery, evidence)) {
      this.#stale.all += 1
      if (isAccepted) this.#stale.accepted += 1
    } else if (isAccepted && !isAmbiguous && reportedAt > until) this.#late += 1
  }

  facts(cuts: readonly Cut[]): FloodFacts {
    const ambiguous = this.#ledger.ranges.filter(({ isAmbiguous }) => isAmbiguous)
    return {
      jobs: this.jobs,
      effects: this.#ledger.deliveries.count,
      takenBack: this.#takenBack,
      awayMs: cuts.map(({ from, until }) => until - from),
      ambiguousJobs: {
        all: jobsIn(ambiguous),
        there: ambiguous.reduce((sum, range) => sum + thereBefore(range), 0),
        unresolved: jobsIn(ambiguous.filter(({ ids }) => ids === undefined)),
      },
      ambiguousReports: this.#reports,
      stale: this.#stale,
      late: this.#late,
    }
  }
}

const jobsIn = (ranges: readonly Range[]): number => ranges.reduce((sum, { count }) => sum + count, 0)
