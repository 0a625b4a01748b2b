// Unique windows: for a while, one job per type and unique key. A second one is refused, or debounced into the first.
import type { Transaction } from "../../../db/transaction.ts"
import { debounceJob, findUnique, replaceUnique, takeUnique } from "../../../store/jobs/job-keys.ts"
import { conflict } from "../../../support/errors.ts"
import type { PreparedJob, UniqueChoice } from "./enqueue-request.ts"

/** The id of the job that holds the window and takes this one in; undefined where the window is free. Throws where it is refused. */
export async function takeWindow(tx: Transaction, { request, row }: PreparedJob): Promise<string | undefined> {
  const { key, forMs, mode } = request.unique as UniqueChoice
  // A debounced job may be told to wait for longer than its window: what comes meanwhile is still taken in.
  const windowMs = mode === "debounce" ? row.delayMs : forMs
  const window = { jobType: row.jobType, key, jobId: row.id, forMs: windowMs }
  if (await takeUnique(tx, window)) return undefined
  const holder = await findUnique(tx, row.jobType, key)
  if (mode === "refuse" || !holder) {
    const until = holder ? ` until ${new Date(holder.until).toISOString()}` : ""
    throw conflict(`job ${holder?.job_id} of type ${row.jobType} has the unique key ${key}${until}`)
  }
  if (await debounceJob(tx, holder.job_id, row)) return holder.job_id
  replaceUnique(tx, window)
  return undefined
}
