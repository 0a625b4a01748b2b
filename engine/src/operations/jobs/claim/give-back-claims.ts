// Jobs that were claimed and have reached no handler are made ready at once, instead of when their leases end.
import { parseToken } from "../../../model/jobs/reports.ts"
import { giveBackJobs } from "../../../store/jobs/claims.ts"
import { parseJobId } from "../../../support/job-key.ts"
import { dispatchOf } from "../../flow/dispatch.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { ClaimedJob } from "./claimed-job.ts"
import { wakeupsOf } from "./wakeups.ts"

/** Of jobs that have ended meanwhile, or whose lease is another one by now, nothing changes. */
export async function giveBackClaims(
  kernel: Kernel,
  jobs: readonly Pick<ClaimedJob, "id" | "leaseToken" | "jobType">[],
): Promise<void> {
  const leases = jobs.flatMap((job) => {
    const [key, token] = [parseJobId(job.id), parseToken(job.leaseToken)]
    return key && token ? [{ key, ...token }] : []
  })
  await giveBackJobs(kernel.db, leases)
  const queues = queuesOf(kernel).ofTypes([...new Set(jobs.map((job) => job.jobType))])
  dispatchOf(kernel).freed(queues.map(({ id }) => id))
  wakeupsOf(kernel).wake(queues)
}
