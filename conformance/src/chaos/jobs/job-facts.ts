// The standalone jobs of a run in numbers.
import type { Line } from "../journal.ts"
import type { FinalState } from "./final-state.ts"
import { ofOp } from "./lines.ts"

export interface JobFacts {
  readonly accepted: number
  /** Never answered: they may have come in or not. */
  readonly unknown: number
  readonly refused: number
  readonly completed: number
  readonly dead: number
  readonly cancelled: number
  readonly replayed: number
  readonly deliveries: number
}

export function jobFactsOf(lines: readonly Line[], { ended }: FinalState): JobFacts {
  const accepted = refsOf(ofOp(lines, "accepted"))
  const refused = new Set(ofOp(lines, "refused").flatMap(({ ref }) => (accepted.has(ref) ? [] : [ref])))
  const sent = refsOf(ofOp(lines, "enqueue"))
  const count = (status: string) => ended.filter((job) => job.status === status).length
  return {
    accepted: accepted.size,
    refused: refused.size,
    unknown: sent.size - accepted.size - refused.size,
    completed: count("COMPLETED"),
    dead: count("FAILED"),
    cancelled: count("CANCELLED"),
    replayed: ended.filter(({ replayOf }) => replayOf !== null).length,
    deliveries: ended.reduce((sum, { marks }) => sum + marks.length, 0),
  }
}

const refsOf = (lines: readonly { readonly ref: string }[]): Set<string> => new Set(lines.map(({ ref }) => ref))

export const jobLines = (facts: JobFacts): string[] => [
  `${facts.accepted} jobs accepted, ${facts.refused} refused, ${facts.unknown} unanswered; ${facts.replayed} replayed`,
  `${facts.completed} jobs completed, ${facts.dead} dead, ${facts.cancelled} cancelled, in ${facts.deliveries} deliveries`,
]
