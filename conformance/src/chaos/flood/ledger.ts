// The ledger of a flood, read back from the files that its processes wrote.
import { readdirSync } from "node:fs"
import type { Line } from "../journal.ts"
import { readJournals } from "../journal.ts"
import type { Cut } from "../server.ts"
import { Deliveries, type Verdict } from "./deliveries.ts"
import { DurableUntil } from "./durable-until.ts"
import type { Held } from "./lines.ts"

export interface Range {
  readonly from: number
  readonly count: number
  /** Undefined as long as nobody has said that they are there. */
  ids: readonly string[] | undefined
  /** When it was first sent, and how often; how often there was no answer at all. */
  sends: number
  sentAt: number
  unheard: number
}

export interface Ledger {
  readonly ranges: readonly Range[]
  readonly deliveries: Deliveries
  /** Jobs of ranges, and reports, whose answer was lost at least once. */
  readonly ambiguous: { readonly asked: number; readonly reported: number }
  readonly cuts: DurableUntil
  readonly violations: readonly string[]
}

export function readLedger(journals: string, cuts: readonly Cut[]): Ledger {
  const durable = new DurableUntil(cuts)
  const ranges = new Ranges(durable)
  for (const line of readJournals(journals, "driver")) ranges.take(line)
  const work = new Work(durable)
  for (const worker of workersIn(journals)) {
    work.nextWorker()
    for (const line of readJournals(journals, `${worker}-`)) work.take(line)
  }
  const all = [...ranges.all.values()].sort((a, b) => a.from - b.from)
  const asked = all.reduce((sum, { unheard, count }) => sum + (unheard > 0 ? count : 0), 0)
  return {
    ranges: all,
    deliveries: work.deliveries,
    ambiguous: { asked, reported: work.deliveries.ambiguous },
    cuts: durable,
    violations: [...ranges.violations, ...work.violations],
  }
}

const workersIn = (journals: string): Set<string> =>
  new Set(readdirSync(journals).flatMap((name) => /^(flood-worker-\d+)-/.exec(name)?.[1] ?? []))

const bugOf = (line: Line): string[] =>
  line.op === "bug" ? [`a process met what must not happen: ${line.what}: ${line.error}`] : []

class Ranges {
  readonly all = new Map<number, Range>()
  readonly violations: string[] = []
  readonly #durable: DurableUntil

  constructor(durable: DurableUntil) {
    this.#durable = durable
  }

  take(line: Line): void {
    this.violations.push(...bugOf(line))
    if (line.op === "asks") {
      const { from, count } = line
      this.all.set(from, { from, count, ids: undefined, sends: 0, sentAt: 0, unheard: 0 })
    }
    const range = "from" in line ? this.all.get(line.from) : undefined
    if (!range) return
    if (line.op === "sends") {
      range.sends += 1
      range.sentAt = line.at
    }
    if (line.op === "unheard") range.unheard += 1
    if (line.op !== "acked") return
    range.ids = line.ids
    if (range.sends === 1) this.#durable.committed(range.sentAt, line.at)
  }
}

interface Batch {
  readonly rows: readonly number[]
  sends: number
  sentAt: number
  tolds: number
}

class Work {
  readonly deliveries = new Deliveries()
  readonly violations: string[] = []
  readonly #durable: DurableUntil
  #batches = new Map<number, Batch>()
  /** Of the worker whose lives are read: deliveries without a verdict, by token. */
  #open = new Map<string, number>()

  constructor(durable: DurableUntil) {
    this.#durable = durable
  }

  nextWorker(): void {
    this.#batches = new Map()
    this.#open = new Map()
  }

  take(line: Line): void {
    this.violations.push(...bugOf(line))
    if (line.op === "begun") this.#begin(line.owed)
    if (line.op === "done") this.#done(line)
    if (line.op === "reports") this.#reports(line.batch, line.at)
    if (line.op === "told") this.#told(line)
  }

  /** What the life before did not come to hear is ambiguous, if it had sent it. */
  #begin(owed: readonly (readonly Held[])[]): void {
    for (const batch of this.#batches.values()) if (batch.sends > 0 && batch.tolds === 0) this.#unheard(batch)
    this.#batches = new Map(
      owed.map((held, at) => [at + 1, batchOf(held.map(([, , token]) => this.#open.get(token)!))]),
    )
  }

  #done({ batch, jobs, askedAt, at, until }: Extract<Line, { op: "done" }>): void {
    const rows = jobs.map(([n, , token]) => {
      const row = this.deliveries.add(n, token, { askedAt, claimedAt: at, until })
      this.#open.set(token, row)
      return row
    })
    this.#batches.set(batch, batchOf(rows))
  }

  #reports(number: number, at: number): void {
    const batch = this.#batches.get(number)
    if (!batch) return
    if (batch.sends > batch.tolds) this.#unheard(batch)
    batch.sends += 1
    batch.sentAt = at
    for (const row of batch.rows) this.deliveries.reported(row, at)
  }

  #told({ batch: number, verdicts, at }: Extract<Line, { op: "told" }>): void {
    const batch = this.#batches.get(number)
    if (!batch) return
    batch.tolds += 1
    if (batch.sends === 1 && verdicts.includes("a")) this.#durable.committed(batch.sentAt, at)
    for (const [place, row] of batch.rows.entries()) this.#judge(row, VERDICT[verdicts.charAt(place)] ?? "none")
  }

  #unheard({ rows }: Batch): void {
    for (const row of rows) this.deliveries.unheard(row)
  }

  #judge(row: number, verdict: Verdict): void {
    const before = this.deliveries.verdictOf(row)
    if (before === "accepted" && verdict !== before)
      this.violations.push(`S7: an accepted report is ${verdict} when it is repeated`)
    if (before !== "accepted") this.deliveries.told(row, verdict)
  }
}

const batchOf = (rows: readonly number[]): Batch => ({ rows, sends: 0, sentAt: 0, tolds: 0 })

const VERDICT: Readonly<Record<string, Verdict>> = { a: "accepted", s: "stale", u: "unknown" }
