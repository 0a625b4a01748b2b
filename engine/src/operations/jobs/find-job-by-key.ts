// The standalone job that was enqueued with a key, for as long as its record is kept.
import { findJobKeys } from "../../store/jobs/job-keys.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { JobView } from "./job-view.ts"
import { findJob } from "./read-jobs.ts"

export async function findJobByKey(kernel: Kernel, jobType: string, key: string): Promise<JobView | undefined> {
  const [found] = await findJobKeys(kernel.db, [{ jobType, key }])
  return found && findJob(kernel.db, found.job_id)
}
