// What this process has counted since its last flush, for the charts: added to rows that all processes share. A crash loses what was
// counted since, two seconds at most: these are counts for charts, and nothing is decided by them.

import {
  addToSeries,
  COUNTERS,
  type Counts,
  countForGauges,
  GAUGES,
  type Gauges,
} from "../../store/observability/counter-series.ts"
import type { Metrics } from "../../support/metrics.ts"
import { readDepths } from "../flow/read-depths.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { perKernel } from "../kernel/kernel.ts"
import { FlowCounts } from "./flow-counts.ts"
import { WorkerSightings } from "./worker-sightings.ts"

const GAUGES_COUNTED_TO = 100_000

export class CounterSeries {
  readonly workers = new WorkerSightings()
  readonly flow = new FlowCounts()
  #flushed: Counts = totalsOf(() => 0)
  /** The gauges that this process wrote last. */
  #gauges: Gauges | undefined
  #stirred = true

  /** Depths, leases or dead letters may be others than before: without this an idle engine need not ask. */
  stir(): void {
    this.#stirred = true
  }

  sawDeadLetters(deadLetters: number): void {
    if (deadLetters !== this.#gauges?.deadLetters) this.#stirred = true
  }

  /** `leads`: this process writes the gauges, for all. What cannot be written is kept for the next flush. */
  async flush(kernel: Kernel, leads: boolean): Promise<void> {
    const gauges = leads && this.#stirred ? await this.#readGauges(kernel) : undefined
    const totals = await readTotals(kernel.metrics)
    const counts = gainOf(totals, this.#flushed)
    const flow = this.flow.take()
    const { sightings, departures } = this.workers.take()
    if (!counts && !gauges && flow.length + sightings.length + departures.length === 0) return
    try {
      await addToSeries(kernel.db, { counts, gauges, sightings, departures, flow })
    } catch (error) {
      // Where only the answer was lost they are counted twice: a chart bears it.
      this.flow.putBack(flow)
      if (gauges) this.#stirred = true
      throw error
    }
    this.workers.noteWritten()
    this.#flushed = totals
    this.#gauges = gauges ?? this.#gauges
  }

  /** Undefined when they are as they were written last. */
  async #readGauges(kernel: Kernel): Promise<Gauges | undefined> {
    this.#stirred = false
    try {
      const [{ priorities }, counted] = await Promise.all([
        readDepths(kernel),
        countForGauges(kernel.db, GAUGES_COUNTED_TO),
      ])
      const gauges: Gauges = {
        depthCritical: priorities.critical.depth,
        depthHigh: priorities.high.depth,
        depthNormal: priorities.normal.depth,
        leased: counted.leased,
        deadLetters: counted.dead_letters,
      }
      return GAUGES.every((name) => gauges[name] === this.#gauges?.[name]) ? undefined : gauges
    } catch (error) {
      this.#stirred = true
      throw error
    }
  }
}

const totalsOf = (read: (name: (typeof COUNTERS)[number]) => number): Counts =>
  Object.fromEntries(COUNTERS.map((name) => [name, read(name)])) as Counts

/** Undefined when nothing has happened. */
function gainOf(now: Counts, before: Counts): Counts | undefined {
  const gain = totalsOf((name) => now[name] - before[name])
  return COUNTERS.some((name) => gain[name] !== 0) ? gain : undefined
}

interface Counter {
  get(): Promise<{ readonly values: readonly { readonly value: number; readonly labels: object }[] }>
}

async function readTotals(metrics: Metrics): Promise<Counts> {
  const [started, ended, steps, enqueued, processed, rejected] = await Promise.all([
    sumOf(metrics.instancesStarted),
    sumsOf(metrics.instancesCompleted, "outcome"),
    sumOf(metrics.stepsExecuted),
    sumOf(metrics.jobsEnqueued),
    sumsOf(metrics.jobsProcessed, "status"),
    sumOf(metrics.backpressureRejections),
  ])
  return {
    started,
    completed: ended.get("COMPLETED") ?? 0,
    failed: ended.get("FAILED") ?? 0,
    cancelled: ended.get("CANCELLED") ?? 0,
    steps,
    jobsEnqueued: enqueued,
    jobsCompleted: processed.get("completed") ?? 0,
    jobsFailed: processed.get("failed") ?? 0,
    jobsDead: processed.get("dead") ?? 0,
    rejected,
  }
}

async function sumOf(counter: Counter): Promise<number> {
  return (await counter.get()).values.reduce((sum, { value }) => sum + value, 0)
}

/** The sum of the counter for each value of the label. */
async function sumsOf(counter: Counter, label: string): Promise<ReadonlyMap<unknown, number>> {
  const { values } = await counter.get()
  return new Map(values.map(({ value, labels }) => [(labels as Record<string, unknown>)[label], value]))
}

export const seriesOf = perKernel(() => new CounterSeries())
