// What must hold for standalone jobs when all is over: compares what callers and workers were told with what the database holds.
import type { Line } from "../journal.ts"
import { MOST_LOST_LEASES } from "../workload.ts"
import { doubles } from "./doubles.ts"
import type { EndedJob, FinalState } from "./final-state.ts"
import { judgeAdmissions } from "./judge-admissions.ts"
import { judgeReplays } from "./judge-replays.ts"
import { judgeReports } from "./judge-reports.ts"
import { ofOp } from "./lines.ts"
import { DOWNSTREAM, type JobOrder, LIMITS } from "./order.ts"

/** Violations in words; empty when everything holds. */
export function judgeJobs(lines: readonly Line[], state: FinalState): string[] {
  return [
    ...judgeAdmissions(lines, state),
    ...judgeEnds(lines, state),
    ...judgeReports(lines, state),
    ...judgeReplays(lines, state),
    ...judgeLimits(lines),
    ...state.counters.flatMap(({ name, counted, there }) =>
      counted === there ? [] : [`S21: ${there} jobs are there, but the gate of ${name} counts ${counted}`],
    ),
  ]
}

/** Everything has ended once, in a way that its story allows. */
function judgeEnds(lines: readonly Line[], { ended, live, openBulks }: FinalState): string[] {
  const orders = new Map(ofOp(lines, "enqueue").map(({ ref, order }) => [ref, order]))
  const cancelled = new Set(ofOp(lines, "cancelled").map(({ id }) => id))
  return [
    ...live.map(({ id, ref, status }) => `L1: job ${id} of ${ref} is still ${status}`),
    ...(openBulks > 0 ? [`L1: ${openBulks} bulk operations have not come to their end`] : []),
    ...doubles(ended.map(({ id }) => id)).map((id) => `S4: job ${id} has ended twice`),
    ...ended.flatMap((job) => {
      const { id, status, isEarly } = job
      const wasCancelled = cancelled.delete(id)
      return [
        ...(wasCancelled && status !== "CANCELLED" ? [`S15: job ${id} was cancelled, and is ${status}`] : []),
        ...(isEarly ? [`S12: job ${id} was handed out before its time`] : []),
        ...judgeTries(job, orders.get(job.ref)),
      ]
    }),
    ...[...cancelled].map((id) => `S15: job ${id} was cancelled, and has come to no end`),
  ]
}

function judgeTries({ id, epoch, failures }: EndedJob, order: JobOrder | undefined): string[] {
  const tries = (order?.payload.retries ?? 0) + 1
  if (failures > tries) return [`S9: job ${id} failed ${failures} times of ${tries}`]
  // Each crash of a worker may cost a delivery, and so may each claim whose caller had gone.
  return epoch > tries + 2 * MOST_LOST_LEASES ? [`S9: job ${id} was delivered ${epoch} times`] : []
}

/** At no moment that was looked at were more leased than there may be. */
function judgeLimits(lines: readonly Line[]): string[] {
  return ofOp(lines, "peak").flatMap(({ kind, name, leased }) => {
    const max = kind === "downstream" ? DOWNSTREAM.concurrency : (LIMITS[name] ?? 1)
    return leased > max ? [`${leased} jobs of the ${kind} ${name} were leased at once, and ${max} may be`] : []
  })
}
