// Jobs that no message can carry to a worker of gRPC: they fail with that reason.
//
// Sent all the same, such a job would go from worker to worker, each of which refuses the message, and end as a poison pill.
import { parseToken } from "../../../model/jobs/reports.ts"
import type { ClaimedJob } from "../../../operations/jobs/claim/claimed-job.ts"
import { reportJobs } from "../../../operations/jobs/end/report-jobs.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { fitsAlone, type Weigh } from "../../calls/answer-size.ts"

const REASON =
  "its variables are larger than a gRPC message may be (4 MiB; a number takes up to eleven bytes there): " +
  "keep large values elsewhere and pass a reference, or let a worker poll over REST"

interface Claimed {
  readonly workerId: string
  readonly weigh: Weigh
}

/** Returns the jobs that can be delivered. */
export async function failUndeliverable(
  kernel: Kernel,
  jobs: readonly ClaimedJob[],
  { workerId, weigh }: Claimed,
): Promise<readonly ClaimedJob[]> {
  const tooLarge = jobs.filter(({ variables }) => !fitsAlone(variables, weigh))
  if (tooLarge.length === 0) return jobs
  const failures = tooLarge.map(({ id, leaseToken }) => ({ jobId: id, token: parseToken(leaseToken) }))
  const failed = { verb: "fail", workerId, actor: "engine", retryable: false, message: REASON } as const
  await reportJobs(
    kernel,
    failures.map((failure) => ({ ...failed, ...failure })),
  )
  return jobs.filter((job) => !tooLarge.includes(job))
}
