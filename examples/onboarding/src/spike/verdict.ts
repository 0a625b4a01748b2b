// Was anything lost, done twice, or ended otherwise than it should? Compares what was sent with what is there.
import type { Row } from "./database.ts"
import type { AllStats } from "./services-process.ts"
import type { PlannedSubmission } from "./submissions.ts"

export interface Verdict {
  readonly complete: number
  readonly failed: number
  /** One line for everything that is not as it should be. */
  readonly faults: readonly string[]
}

interface Evidence {
  readonly sent: readonly PlannedSubmission[]
  readonly rows: readonly Row[]
  readonly stats: AllStats
  /** How many runs the crew can have in hand at a time. */
  readonly slots: number
}

export function judge({ sent, rows, stats, slots }: Evidence): Verdict {
  const endOf = new Map(rows.map((row) => [row.idempotency_key, row]))
  const complete = rows.filter(({ status }) => status === "COMPLETE").length
  const doubled = sumOf(stats, "doubled")
  const atOnce = Math.max(...Object.values(stats).map(({ mostAtOnce }) => mostAtOnce))
  const enrolments = stats.care.perRoute["POST /enrolments"]?.effects ?? 0
  const faults = [
    ...sent.flatMap(({ payload, ends }) => faultOf(payload.submissionId, ends, endOf.get(payload.submissionId))),
    ...(rows.length === sent.length ? [] : [`${sent.length} submissions became ${rows.length} runs`]),
    ...(enrolments === complete ? [] : [`${complete} completed runs made ${enrolments} enrolments`]),
    ...(atOnce <= slots ? [] : [`${atOnce} calls at once came from ${slots} slots`]),
    ...(doubled === 0 ? [] : [`${doubled} effects were doubled`]),
  ]
  return { complete, failed: rows.length - complete, faults }
}

function faultOf(id: string, ends: PlannedSubmission["ends"], row: Row | undefined): string[] {
  if (!row) return [`${id} is lost`]
  return row.status === ends ? [] : [`${id} is ${row.status} and should be ${ends}: ${row.last_error ?? ""}`]
}

type Count = "calls" | "repeated" | "refused" | "lost" | "effects" | "doubled"

export const sumOf = (stats: AllStats, count: Count): number =>
  Object.values(stats).reduce((sum, of) => sum + of[count], 0)
