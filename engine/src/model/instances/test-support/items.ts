// The events that can meet an instance, each as its operation puts it to the planner.
import type { JsonObject } from "../../../support/json.ts"
import { type Claimant, holds, maySpeakLate } from "../../jobs/reports.ts"
import { type Failure, type JobFacts, planJobCompleted, planJobFailed, planLeaseEnded } from "../plan-after-job.ts"
import { planTimer } from "../plan-after-timer.ts"
import { planCancel, planSignal, planUserTaskCompleted } from "../plan-human.ts"
import type { JobRow } from "./tables.ts"
import type { Facts, Item } from "./world.ts"

interface Report extends Claimant {
  readonly execution: number
}

export const complete = (report: Report, delta?: JsonObject): Item => ({
  ...concerning(report),
  decide: (draft, facts) => {
    const job = reportedOn({ ...report, verb: "complete" }, facts)
    if (job) planJobCompleted(draft, job, { delta }, report.workerId)
  },
})

export const fail = (report: Report, failure: Failure): Item => ({
  ...concerning(report),
  decide: (draft, facts) => {
    const job = reportedOn({ ...report, ...failure, verb: "fail" }, facts)
    if (job) planJobFailed(draft, job, failure, report.workerId)
  },
})

const concerning = ({ execution, token, workerId }: Report) => ({
  execution,
  formerly: token ? undefined : workerId,
})

/** Undefined: the report comes from a worker that has nothing to say about the job. */
function reportedOn(report: Parameters<typeof maySpeakLate>[0], { job, lost }: Facts): JobFacts | undefined {
  if (!job) return undefined
  if (holds(report, job)) return factsOf(job)
  return lost && maySpeakLate(report, lost) ? { ...factsOf(job), lease: lost.lease, isLate: true } : undefined
}

/** The reaper finds that the lease of this delivery has expired. */
export const sweep = ({ execution, epoch }: JobRow, nowMs: number): Item => ({
  execution,
  decide: (draft, { job }) => {
    if (job?.status !== "leased" || job.epoch !== epoch || (job.leaseUntil ?? 0) > nowMs) return
    const isLost = job.runUntil === null || job.runUntil > nowMs
    planLeaseEnded(draft, factsOf(job), isLost ? { kind: "lost", counts: true } : { kind: "timed-out" })
  },
})

export const fire = (execution: number, timer: string): Item => ({
  execution,
  timer,
  decide: (draft, { job, timerIsDue }) => {
    if (timerIsDue) planTimer(draft, { execution, timer, claimed: (job?.epoch ?? 0) > 0 })
  },
})

export const signal = (stepId: string, variables: JsonObject = {}): Item => ({
  decide: (draft) => planSignal(draft, stepId, variables, "test"),
})

export const completeTask = (stepId: string, result: JsonObject = {}): Item => ({
  decide: (draft) => planUserTaskCompleted(draft, stepId, result, "ada", "test"),
})

export const cancel = (reason?: string): Item => ({ decide: (draft) => planCancel(draft, reason, "test") })

const factsOf = ({ execution, retriesLeft, lostLeases, epoch, nonce, workerId, seenVersion }: JobRow): JobFacts => ({
  execution,
  retriesLeft,
  lostLeases,
  lease: { epoch, nonce, workerId, seenVersion },
})
