// Whether exactly one report ended each job: what workers were told, against the record of the job.
import type { Line } from "../journal.ts"
import type { EndedJob, FinalState } from "./final-state.ts"
import { ofOp } from "./lines.ts"

/** One report ends a job, it is the one that counts, and a handler has run for it. */
export function judgeReports(lines: readonly Line[], { ended }: FinalState): string[] {
  const jobs = new Map(ended.map((job) => [job.id, job]))
  const accepted = ofOp(lines, "report").filter(({ verdict }) => verdict === "accepted")
  const completions = new Map<string, Set<number>>()
  for (const { id, attempt, verb } of accepted)
    if (verb === "complete") completions.set(id, (completions.get(id) ?? new Set()).add(attempt))
  return [
    ...[...completions].flatMap(([id, attempts]) => judgeCompletions(id, [...attempts], jobs.get(id))),
    ...accepted.flatMap(({ id, attempt, verb }) =>
      verb === "fail" && completions.get(id)?.has(attempt)
        ? [`S7: delivery ${attempt} of job ${id} was both completed and failed`]
        : [],
    ),
    ...ended.flatMap(judgeResult),
  ]
}

function judgeCompletions(id: string, attempts: readonly number[], job: EndedJob | undefined): string[] {
  if (attempts.length > 1) return [`S7, S8: job ${id} was completed by deliveries ${attempts.join(" and ")}`]
  if (job?.status === "COMPLETED" && job.epoch === attempts[0]) return []
  return [`S7: delivery ${attempts[0]} of job ${id} was completed, but it is ${job?.status} by ${job?.epoch}`]
}

function judgeResult({ id, status, epoch, answered, marks }: EndedJob): string[] {
  if (status !== "COMPLETED") return []
  if (answered !== epoch) return [`S7: job ${id} was completed by delivery ${epoch}, but has the result of ${answered}`]
  return marks.includes(epoch) ? [] : [`S8: job ${id} was completed by a delivery that no handler ran`]
}
