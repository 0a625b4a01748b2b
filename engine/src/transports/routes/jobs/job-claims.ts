// Claims for a worker on the other end of a connection, and the jobs as the wire shows them.

import type { wire } from "@millrace/sdk"
import { type ClaimRequest, claimJobs } from "../../../operations/jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { giveBackClaims } from "../../../operations/jobs/claim/give-back-claims.ts"
import { dispatchingOf } from "../../../operations/jobs/dispatch/dispatching.ts"
import { isoTime } from "../../../support/iso-time.ts"
import { countFitting } from "../../calls/answer-size.ts"
import type { Said } from "../../calls/answers.ts"
import { authorizeJobTypes } from "../../calls/authorize.ts"
import type { Fields } from "../../calls/fields.ts"
import type { Call } from "../../calls/route.ts"
import { readLeaseMs } from "./job-reports.ts"
import { failUndeliverable } from "./undeliverable.ts"

const MAX_JOB_TYPES = 1_000

export type Claim = Omit<ClaimRequest, "signal">

/** Numbers out of range are clamped. */
export function readClaim(from: Fields): Omit<Claim, "workerId"> {
  return {
    // A type that is named twice would count twice when jobs are dealt.
    jobTypes: [...new Set(from.words("jobTypes", { min: 1, max: MAX_JOB_TYPES }))],
    maxJobs: Math.floor(from.orAbsent((each) => each.clamped("maxJobs", { min: 1, max: 100 })) ?? 10),
    // Where none is asked for it goes by the kind of work.
    leaseMs: readLeaseMs(from),
    waitMs: Math.round((from.clamped("waitSeconds", { min: 0, max: 30 }) ?? 0) * 1000),
  }
}

/** The types that the caller may poll; those that are pushed through Kafka are left out. Throws where that leaves none. */
export function pollableTypes(
  { kernel, principal }: Pick<Call, "kernel" | "principal">,
  jobTypes: readonly string[],
  at?: string,
) {
  authorizeJobTypes(principal, jobTypes, at)
  return dispatchingOf(kernel).pollable(jobTypes)
}

/** Nothing is claimed for a client that has gone away, and no more than fits into the answer. */
export async function claimFor(call: Call, claim: Claim): Promise<readonly ClaimedJob[]> {
  const jobTypes = pollableTypes(call, claim.jobTypes)
  const signal = call.gone()
  if (signal.aborted) return []
  const claimed = await claimJobs(call.kernel, { ...claim, jobTypes, signal })
  const jobs = call.hasCap ? await failUndeliverable(call.kernel, claimed, { ...claim, weigh: call.weigh }) : claimed
  const texts = jobs.map(({ variables }) => variables)
  const count = countFitting(texts, call.weigh)
  if (count < jobs.length) await giveBackClaims(call.kernel, jobs.slice(count))
  return jobs.slice(0, count)
}

export const jobsJson = (jobs: readonly ClaimedJob[]): string => `[${jobs.map(jobJson).join()}]`

/** The variables are JSON text already: they are put in as they are. */
function jobJson(job: ClaimedJob): string {
  const rest = JSON.stringify(shownJob(job))
  return `${rest.slice(0, -1)},"variables":${job.variables}}`
}

/** A job as the wire shows it, without its variables. */
export function shownJob({ variables: _, token: __, lockExpiresAt, runMs, ...job }: ClaimedJob) {
  const timeoutSeconds = runMs === undefined ? undefined : runMs / 1000
  const shown = { ...job, lockExpiresAt: isoTime(lockExpiresAt), timeoutSeconds }
  return shown satisfies Said<Omit<wire.Job, "variables">>
}
