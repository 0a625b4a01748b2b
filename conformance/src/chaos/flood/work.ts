// What the workers did and were told, worker by worker and life by life.
import type { Line } from "../journal.ts"
import { Deliveries, type Verdict } from "./deliveries.ts"
import type { Held } from "./lines.ts"
import type { PowerCuts } from "./power-cuts.ts"

interface Batch {
  readonly rows: readonly number[]
  /** An earlier life may have reported it. */
  readonly isOwed: boolean
  sends: number
  sentAt: number
  isUnheard: boolean
}

const VERDICT: Readonly<Record<string, Verdict>> = { a: "accepted", s: "stale", u: "unknown" }

export class Work {
  readonly deliveries = new Deliveries()
  readonly violations: string[] = []
  readonly #cuts: PowerCuts
  #batches = new Map<number, Batch>()
  /** Rows of the deliveries of this life, and of those that it took over, by token. */
  #rows = new Map<string, number>()

  constructor(cuts: PowerCuts) {
    this.#cuts = cuts
  }

  beginWorker(): void {
    this.#batches = new Map()
    this.#rows = new Map()
  }

  /** In the order in which its lives wrote them. */
  take(line: Line): void {
    if (line.op === "bug") this.violations.push(`a worker met what must not happen: ${line.what}: ${line.error}`)
    if (line.op === "begun") this.#begin(line.owed)
    if (line.op === "done") this.#done(line)
    const batch = "batch" in line ? this.#batches.get(line.batch) : undefined
    if (!batch) return
    if (line.op === "reports") this.#reports(batch, line.at)
    if (line.op === "unreported") batch.isUnheard = false
    if (line.op === "told") this.#told(batch, line)
  }

  /** The life before was killed: what it had sent, it has not heard of. */
  #begin(owed: readonly (readonly Held[])[]): void {
    for (const batch of this.#batches.values()) this.#doubt(batch)
    const rows = new Map(owed.flat().map(([, , token]) => [token, this.#rows.get(token)!]))
    this.#rows = rows
    this.#batches = new Map(
      owed.map((held, at) => [
        at + 1,
        batchOf(
          held.map(([, , token]) => rows.get(token)!),
          true,
        ),
      ]),
    )
  }

  #done({ batch, jobs, askedAt, at, until }: Extract<Line, { op: "done" }>): void {
    const rows = jobs.map(([n, , token]) => {
      const row = this.deliveries.add(n, token, { askedAt, claimedAt: at, until })
      this.#rows.set(token, row)
      return row
    })
    this.#batches.set(batch, batchOf(rows, false))
  }

  #reports(batch: Batch, at: number): void {
    this.#doubt(batch)
    batch.sends += 1
    batch.sentAt = at
    batch.isUnheard = true
    for (const row of batch.rows) this.deliveries.reported(row, at)
  }

  #told(batch: Batch, { verdicts, at }: Extract<Line, { op: "told" }>): void {
    batch.isUnheard = false
    // Only of a report that was sent once is it known that this very request has written what was accepted.
    if (batch.sends === 1 && !batch.isOwed && verdicts.includes("a")) this.#cuts.committed(batch.sentAt, at)
    for (const [place, row] of batch.rows.entries()) this.#judge(row, VERDICT[verdicts.charAt(place)] ?? "none")
  }

  #doubt({ rows, isUnheard }: Batch): void {
    if (isUnheard) for (const row of rows) this.deliveries.unheard(row)
  }

  /** What was accepted stays so, however often it is asked. */
  #judge(row: number, verdict: Verdict): void {
    const before = this.deliveries.verdictOf(row)
    if (before !== "accepted") return this.deliveries.told(row, verdict)
    if (verdict !== before) this.violations.push(`S7: an accepted report was ${verdict} when it was repeated`)
  }
}

const batchOf = (rows: readonly number[], isOwed: boolean): Batch => ({
  ...{ rows, isOwed, isUnheard: false },
  ...{ sends: 0, sentAt: 0 },
})
