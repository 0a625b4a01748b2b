// Typed access to the counter series.
import type { Database } from "../../db/database.ts"
import { statements } from "../../db/statements.ts"

const sql = statements(import.meta.url, "counter-series", [
  "addToSeries",
  "countForGauges",
  "readSeries",
  "pruneSeries",
])

/** The spans, in seconds, in which everything is counted. */
export const SPANS = [2, 10, 300] as const
export type Span = (typeof SPANS)[number]

export const COUNTERS = [
  "started",
  "completed",
  "failed",
  "cancelled",
  "steps",
  "jobsEnqueued",
  "jobsCompleted",
  "jobsFailed",
  "jobsDead",
  "rejected",
] as const
export type Counts = Readonly<Record<(typeof COUNTERS)[number], number>>

export const GAUGES = ["depthCritical", "depthHigh", "depthNormal", "leased", "deadLetters"] as const
export type Gauges = Readonly<Record<(typeof GAUGES)[number], number>>

/** A worker that asked for work. */
export interface Sighting {
  readonly workerId: string
  readonly jobTypes: readonly string[]
  readonly msAgo: number
}

/** A worker that has left. */
export type Departure = Omit<Sighting, "jobTypes">

/** `accepted` and `refused` are by door, `claimed` by priority, `started` by downstream. */
export type FlowPart = "accepted" | "refused" | "claimed" | "started"

export interface FlowCount {
  readonly part: FlowPart
  readonly name: string
  readonly jobs: number
}

export interface Gain {
  readonly counts: Counts | undefined
  readonly gauges: Gauges | undefined
  readonly sightings: readonly Sighting[]
  readonly departures: readonly Departure[]
  readonly flow: readonly FlowCount[]
}

/** One statement. Without counts and gauges no row of the series is touched. */
export async function addToSeries(db: Database, { counts, gauges, sightings, departures, flow }: Gain): Promise<void> {
  await db.query(sql.addToSeries, {
    spans: counts || gauges ? SPANS : [],
    ...Object.fromEntries(COUNTERS.map((name) => [name, counts?.[name] ?? 0])),
    ...Object.fromEntries(GAUGES.map((name) => [name, gauges?.[name] ?? null])),
    sightings: sightings.map(({ workerId, jobTypes, msAgo }) => ({
      worker_id: workerId,
      job_types: JSON.stringify(jobTypes),
      ms_ago: msAgo,
    })),
    departures: departures.map(({ workerId, msAgo }) => ({ worker_id: workerId, ms_ago: msAgo })),
    flow: flow.map(({ part, name, jobs }) => ({ part, name, jobs })),
  })
}

interface GaugeCounts extends Record<string, unknown> {
  readonly leased: number
  readonly dead_letters: number
}

/** Counted no further than the limit. */
export async function countForGauges(db: Database, limit: number): Promise<GaugeCounts> {
  const [row] = await db.query<GaugeCounts>(sql.countForGauges, { limit })
  return row as GaugeCounts
}

interface SeriesRow extends Record<string, unknown> {
  /** When the window begins. */
  readonly window_since: number
  /** Null where there is no row at all. */
  readonly at: number | null
}

export interface SeriesPoint {
  readonly atMs: number
  readonly counts: Counts
  /** Undefined where they were as before. */
  readonly gauges: Gauges | undefined
}

export interface SeriesRows {
  readonly sinceMs: number
  /** Oldest first; those from before the window are there for their gauges. */
  readonly points: readonly SeriesPoint[]
}

export async function readSeries(db: Database, span: Span, windowSeconds: number): Promise<SeriesRows> {
  const rows = await db.query<SeriesRow>(sql.readSeries, { span, windowSeconds })
  return { sinceMs: (rows[0] as SeriesRow).window_since, points: rows.flatMap(pointOf) }
}

function pointOf(row: SeriesRow): SeriesPoint[] {
  if (row.at === null) return []
  const pick = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, row[columnOf(name)]]))
  return [
    {
      atMs: row.at,
      counts: pick(COUNTERS) as Counts,
      gauges: row.leased === null ? undefined : (pick(GAUGES) as Gauges),
    },
  ]
}

export const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export async function pruneSeries(db: Database): Promise<void> {
  await db.query(sql.pruneSeries)
}
