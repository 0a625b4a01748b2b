// Jobs that were claimed and have reached no handler are made ready at once, instead of when their leases end.
import { parseToken } from "../../../model/jobs/reports.ts"
import { anyHeld, giveBackJobs } from "../../../store/jobs/claims.ts"
import { parseJobId } from "../../../support/job-key.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { unpackJobs } from "../unpack-jobs.ts"
import type { ClaimedJob } from "./claimed-job.ts"
import { wakeupsOf } from "./wakeups.ts"

type Claimed = Pick<ClaimedJob, "id" | "leaseToken" | "jobType">

/** Jobs that have ended meanwhile, or have another lease by now, are left unchanged. */
export async function giveBackClaims(kernel: Kernel, jobs: readonly Claimed[]): Promise<void> {
  const leases = jobs.flatMap(leaseOf)
  const packed = leases.flatMap(({ key, place }) => (key.kind === "standalone" && place !== undefined ? [key.id] : []))
  if (packed.length > 0) await unpackJobs(kernel, packed)
  await giveBackJobs(kernel.db, leases)
  const queues = queuesOf(kernel).ofTypes([...new Set(jobs.map((job) => job.jobType))])
  openQueuesOf(kernel).freed(queues.map(({ id }) => id))
  wakeupsOf(kernel).wake(queues)
}

/** Whether there is one among them that could be given back. */
export const isAnyClaimed = (kernel: Kernel, jobs: readonly Claimed[]): Promise<boolean> =>
  anyHeld(kernel.db, jobs.flatMap(leaseOf))

function leaseOf({ id, leaseToken }: Claimed) {
  const [key, token] = [parseJobId(id), parseToken(leaseToken)]
  return key && token ? [{ key, ...token }] : []
}
