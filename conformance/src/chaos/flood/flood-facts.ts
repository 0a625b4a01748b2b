// What a flood has met: the table at its end, and whether it was enough to prove anything.
import type { Kills } from "../battle.ts"

export interface FloodFacts {
  readonly jobs: number
  /** Deliveries that a worker has worked on, and those of them whose claim a power cut took back. */
  readonly effects: number
  readonly takenBack: number
  /** For how long PostgreSQL was away, each time. */
  readonly awayMs: readonly number[]
  /** Jobs and reports whose answer was lost, and what the answer was when they were sent again. */
  readonly ambiguousJobs: { readonly all: number; readonly there: number; readonly unresolved: number }
  readonly ambiguousReports: { readonly all: number; readonly accepted: number; readonly unresolved: number }
  /** Reports with the token of a lease that another worker had taken over. */
  readonly stale: { readonly all: number; readonly accepted: number }
  /** Reports accepted after the lease had ended, because no other worker had claimed the job. */
  readonly late: number
}

const ENOUGH_KILLS = 200
const LEAST_AMBIGUOUS_PER_KILL = 10
const LEAST_STALE_PER_KILL = 0.5

/** A long run that met too little of what it is about proves nothing. */
export function tooLittle(kills: Kills, { ambiguousJobs, ambiguousReports, stale }: FloodFacts): string[] {
  const killed = killedIn(kills)
  if (killed < ENOUGH_KILLS) return []
  const ambiguous = ambiguousJobs.all + ambiguousReports.all
  return [
    ...(ambiguous < LEAST_AMBIGUOUS_PER_KILL * killed
      ? [`only ${ambiguous} items were ambiguous in ${killed} kills`]
      : []),
    ...(stale.all < LEAST_STALE_PER_KILL * killed ? [`only ${stale.all} reports were stale in ${killed} kills`] : []),
  ]
}

const FROZEN = "frozen"

/** Who is frozen lives. */
const killedIn = (kills: Kills): number =>
  [...kills].reduce((sum, [victim, count]) => sum + (victim.startsWith(FROZEN) ? 0 : count), 0)

export function floodLines(kills: Kills, facts: FloodFacts, loadSeconds: number): string[] {
  const { jobs, effects, takenBack, ambiguousJobs, ambiguousReports, stale, late } = facts
  const rows: readonly (readonly [string, number, string])[] = [
    ["kills", killedIn(kills), [...kills].map(([victim, count]) => `${count} ${victim}`).join(", ")],
    ["jobs", jobs, `${(jobs / loadSeconds).toFixed(0)} a second, for ${loadSeconds.toFixed(0)} s`],
    ["worked on", effects, `${effects - jobs} again, of which a power cut took back ${takenBack} claims`],
    ["ambiguous jobs", ambiguousJobs.all, `${ambiguousJobs.there} were there, ${ambiguousJobs.unresolved} unresolved`],
    [
      "ambiguous reports",
      ambiguousReports.all,
      `${ambiguousReports.accepted} counted, ${ambiguousReports.unresolved} unresolved`,
    ],
    ["stale reports", stale.all, `${stale.accepted} accepted`],
    ["late reports", late, "accepted, for nobody else had claimed the job"],
    ["PostgreSQL away", facts.awayMs.length, awayOf(facts.awayMs)],
  ]
  const widths = [0, 1].map((at) => Math.max(...rows.map((row) => String(row[at]).length)))
  return rows.map(([what, count, more]) => `${what.padEnd(widths[0]!)}  ${String(count).padStart(widths[1]!)}  ${more}`)
}

function awayOf(awayMs: readonly number[]): string {
  if (awayMs.length === 0) return "times"
  const sorted = [...awayMs].sort((a, b) => a - b)
  const [middle, longest] = [sorted[sorted.length >> 1]!, sorted.at(-1)!]
  return `times, half of them for less than ${(middle / 1_000).toFixed(1)} s, the longest for ${(longest / 1_000).toFixed(1)} s`
}
