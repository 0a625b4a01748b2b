// Drives an engine as a worker and a client would, one call at a time.

import { parseToken } from "../model/jobs/reports.ts"
import type { InstanceView } from "../operations/instances/instance-view.ts"
import { getInstance } from "../operations/instances/read-instances.ts"
import { startInstance } from "../operations/instances/start/start-instance.ts"
import { claimJobs } from "../operations/jobs/claim/claim-jobs.ts"
import type { ClaimedJob } from "../operations/jobs/claim/claimed-job.ts"
import type { ReportOutcome } from "../operations/jobs/end/report.ts"
import { reportJob } from "../operations/jobs/end/report-jobs.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"
import type { JsonObject } from "../support/json.ts"

export const drive = (kernel: Kernel, workerId = "w1") => ({
  async start(definitionId: string, variables: JsonObject = {}, more: { businessKey?: string } = {}): Promise<string> {
    const { instance } = await startInstance(kernel, { definitionId, variables, actor: "local", ...more })
    return instance.id
  },
  get: (id: string): Promise<InstanceView> => getInstance(kernel, id),
  claim: (jobTypes: readonly string[], maxJobs = 10, leaseMs = 30_000): Promise<readonly ClaimedJob[]> =>
    claimJobs(kernel, { workerId, jobTypes, maxJobs, leaseMs, waitMs: 0 }),
  async claimOne(jobType: string, leaseMs = 30_000): Promise<ClaimedJob> {
    const [job] = await claimJobs(kernel, { workerId, jobTypes: [jobType], maxJobs: 1, leaseMs, waitMs: 60_000 })
    if (!job) throw new Error(`no job of type ${jobType}`)
    return job
  },
  complete: (job: ClaimedJob, variables?: JsonObject): Promise<ReportOutcome> =>
    reportJob(kernel, { verb: "complete", ...claimant(job, workerId), variables }),
  fail: (job: ClaimedJob, message = "boom", retryable = true, retryAfterMs?: number): Promise<ReportOutcome> =>
    reportJob(kernel, { verb: "fail", ...claimant(job, workerId), message, retryable, retryAfterMs }),
})

const claimant = (job: ClaimedJob, workerId: string) => ({
  jobId: job.id,
  workerId,
  token: parseToken(job.leaseToken),
  actor: workerId,
})
