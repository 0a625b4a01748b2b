// Standalone jobs that come with a key, a window or somebody's transaction: each is decided for itself.
import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { enqueueJobsNow, type NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import { debounceJob, findJobKeys, findUnique, replaceUnique, takeUnique } from "../../../store/jobs/job-keys.ts"
import { setLimits } from "../../../store/jobs/standalone-jobs.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { conflict, EngineError } from "../../../support/errors.ts"
import { once } from "../../kernel/idempotency.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { JobView } from "../job-view.ts"
import { getJob } from "../read-jobs.ts"
import { announceReady, countEnqueued } from "./announce-jobs.ts"
import { accepted, type Enqueued, type EnqueueItem, isFull, limitsOf } from "./enqueue-item.ts"

/** One at a time, in transactions of their own. */
export const enqueueLate = (kernel: Kernel, items: readonly EnqueueItem[]): Promise<readonly Outcome<Enqueued>[]> =>
  Promise.all(
    items.map(async (item) => ({ value: await kernel.db.transaction((tx) => enqueueOneByOne(kernel, tx, item)) })),
  )

/** A refusal is thrown: our transaction is rolled back; in a caller's nothing has been written. */
export async function enqueueOneByOne(kernel: Kernel, tx: Transaction, item: EnqueueItem): Promise<Enqueued> {
  if (item.request.unique || item.request.requestKey || item.request.key !== undefined) await setLockTimeout(tx)
  const done = await once(
    tx,
    item.request.requestKey,
    () => enqueueWithin(kernel, tx, item),
    // The door that answers reads it back as a job.
    ({ job }) => ({ status: 202, body: JSON.stringify(job) }),
  )
  if ("result" in done) return done.result
  return { job: accepted(item).job, isRepeat: true, replay: done.replay }
}

async function enqueueWithin(kernel: Kernel, tx: Transaction, item: EnqueueItem): Promise<Enqueued> {
  const { unique, key } = item.request
  if (unique && key !== undefined && (await hasJob(tx, item))) return repeatOf(kernel, tx, item)
  const earlier = unique && (await takeWindow(tx, item))
  // What was said last counts, and is what the job has now.
  if (earlier) return { job: { ...accepted(item).job, id: earlier }, isRepeat: true }
  const row = waitingForTurn(tx, item)
  const answer = await enqueueJobsNow(tx, [row], kernel.settings)
  if (answer.ids.length === 0) return repeatOf(kernel, tx, item)
  if (item.request.limit) setLimits(tx, limitsOf([item]))
  countEnqueued(kernel, tx, 1)
  tx.afterCommit(() => announceReady(kernel, [row]))
  return accepted(item)
}

const hasJob = async (tx: Transaction, { row }: EnqueueItem): Promise<boolean> =>
  (await findJobKeys(tx, [{ jobType: row.jobType, key: row.key ?? "" }])).length > 0

/** Nobody is told of a caller's commit: the releaser finds a job with a limit by its time, and fills the limit. */
function waitingForTurn({ isOurs }: Transaction, { row }: EnqueueItem): NewStandaloneJob {
  return isOurs || row.limitKey === null || row.delayMs > 0 ? row : { ...row, delayMs: 1 }
}

/** The job that holds the window, where it takes this one in; undefined where the window is free. */
async function takeWindow(tx: Transaction, { request, row }: EnqueueItem): Promise<string | undefined> {
  const { key, forMs, mode } = request.unique as NonNullable<typeof request.unique>
  const window = { jobType: row.jobType, key, jobId: row.id, forMs }
  if (await takeUnique(tx, window)) return undefined
  const holder = await findUnique(tx, row.jobType, key)
  if (mode === "refuse" || !holder) {
    const until = holder ? ` until ${new Date(holder.until).toISOString()}` : ""
    throw conflict(`job ${holder?.job_id} of type ${row.jobType} has the unique key ${key}${until}`)
  }
  if (await debounceJob(tx, holder.job_id, row, forMs)) return holder.job_id
  replaceUnique(tx, window)
  return undefined
}

async function repeatOf(kernel: Kernel, tx: Transaction, item: EnqueueItem): Promise<Enqueued> {
  const { row } = item
  const [found] = row.key === undefined ? [] : await findJobKeys(tx, [{ jobType: row.jobType, key: row.key }])
  if (!found) throw isFull(kernel, row.priority)
  if (!row.digest?.equals(found.digest)) throw otherBody(row.key)
  return { job: await jobOr(kernel, found.job_id, item), isRepeat: true }
}

/** Read beside the pool: whoever holds a connection must not wait for another. One that the same open transaction has made is not there yet. */
const jobOr = (kernel: Kernel, id: string, item: EnqueueItem): Promise<JobView> =>
  getJob({ ...kernel, db: kernel.db.aside }, id).catch(() => ({ ...accepted(item).job, id }))

const otherBody = (key: string | undefined) =>
  new EngineError("idempotency-mismatch", `key ${key} was used for another job of this type`)

/** After the commit of its batch, in which it was not made: a repeat, whether there is room or not; or refused for want of it. */
export async function judgeRepeat(kernel: Kernel, { row }: EnqueueItem): Promise<Outcome<Enqueued>> {
  try {
    const key = row.key === undefined ? undefined : { jobType: row.jobType, key: row.key }
    const [found] = key ? await findJobKeys(kernel.db, [key]) : []
    if (!found) return { error: isFull(kernel, row.priority) }
    if (!row.digest?.equals(found.digest)) return { error: otherBody(row.key) }
    return { value: { job: await getJob(kernel, found.job_id), isRepeat: true } }
  } catch (error) {
    return { error }
  }
}
