// Standalone jobs that come with a key, a window, a limit or a caller's transaction. A list of them is decided within one
// transaction: repeats are told what the first was told, and a job that is refused leaves no trace.
import type { Outcome, Patience } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { enqueueJobsNow, type NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import { findJobKeys } from "../../../store/jobs/job-keys.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { identity, type RequestKey } from "../../../store/kernel/request-keys.ts"
import { EngineError } from "../../../support/errors.ts"
import { claimRequestKeys, keepOutcome, releaseRequestKeys } from "../../kernel/idempotency.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { findJob } from "../read-jobs.ts"
import { announceReady, countEnqueued, hearAnswer, setLimitsOf } from "./announce-jobs.ts"
import { accepted, type Enqueued, hasKeyOrLimit, type PreparedJob, refuseFull } from "./enqueue-request.ts"
import { isRepeatOf, otherJob } from "./repeated-key.ts"
import { takeWindow } from "./unique-window.ts"

/** What each caller is told, as far as it is decided. */
type Told = Map<PreparedJob, Outcome<Enqueued>>

interface Round {
  readonly kernel: Kernel
  readonly tx: Transaction
  readonly told: Told
}

export function enqueueKeyed(kernel: Kernel, jobs: readonly PreparedJob[], patience: Patience) {
  kernel.metrics.batchSize.observe({ operation: "enqueue" }, jobs.length)
  return kernel.db.transaction(async (tx) => {
    const outcomes = await enqueueAll(kernel, tx, jobs)
    // A job on its own may have taken a window: its refusal undoes that too.
    const [only] = outcomes
    if (patience.isAlone && only && "error" in only) throw only.error
    return outcomes
  }, patience)
}

export async function enqueueAll(
  kernel: Kernel,
  tx: Transaction,
  jobs: readonly PreparedJob[],
): Promise<readonly Outcome<Enqueued>[]> {
  // Another transaction may hold a key.
  if (jobs.some(({ request }) => hasKeyOrLimit(request))) await setLockTimeout(tx)
  const told: Told = await tellRepeatedRequests(tx, jobs)
  const repeats = new Set(told.keys())
  const round = { kernel, tx, told }
  const untold = () => jobs.filter((job) => !told.has(job))
  for (const job of untold()) if (job.request.unique) await takeWindowOf(round, job)
  await writeJobs(round, untold())
  if (told.size < jobs.length) forgetRepeatsOf(untold(), told)
  await tellMissed(round, untold())
  await settleRequestKeys(tx, told, repeats)
  return jobs.map((job) => told.get(job) as Outcome<Enqueued>)
}

async function tellRepeatedRequests(tx: Transaction, jobs: readonly PreparedJob[]): Promise<Told> {
  const told: Told = new Map()
  const keyed = jobs.filter((job) => job.request.requestKey)
  if (keyed.length === 0) return told
  const verdicts = await claimRequestKeys(
    tx,
    keyed.map((job) => ({ key: job.request.requestKey as RequestKey, outcome: accepted(job).job })),
  )
  keyed.forEach((job, index) => {
    const verdict = verdicts[index]
    if (verdict) told.set(job, "error" in verdict ? verdict : { value: { job: verdict.outcome, isRepeat: true } })
  })
  return told
}

/** A job of the same key comes before a window of the same type. */
async function takeWindowOf({ tx, told }: Round, job: PreparedJob): Promise<void> {
  if (job.row.key !== undefined && (await findJobKeys(tx, [keyOf(job.row)])).length > 0) return
  try {
    const earlier = await takeWindow(tx, job)
    // The last word counts, and is what the earlier job has now.
    if (earlier) told.set(job, { value: { job: { ...accepted(job).job, id: earlier }, isRepeat: true } })
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    told.set(job, { error })
  }
}

const keyOf = ({ jobType, key = "" }: NewStandaloneJob) => ({ jobType, key })

async function writeJobs({ kernel, tx, told }: Round, jobs: readonly PreparedJob[]): Promise<void> {
  if (jobs.length === 0) return
  const rows = jobs.map(({ row }) => (tx.isOurs ? row : waitingForTurn(row)))
  const answer = await enqueueJobsNow(tx, rows, kernel.settings)
  const made = hearAnswer(kernel, jobs, answer)
  setLimitsOf(tx, made)
  for (const job of made) told.set(job, { value: accepted(job) })
  countEnqueued(kernel, tx, made)
  tx.afterCommit(() =>
    announceReady(
      kernel,
      made.map(({ row }) => row),
    ),
  )
}

/** The commit of a caller's transaction is not seen here: the releaser finds a job with a limit by its time, and fills the limit. */
const waitingForTurn = (row: NewStandaloneJob): NewStandaloneJob =>
  row.limitKey === null || row.delayMs > 0 ? row : { ...row, delayMs: 1 }

/** Repeats, in the same list, of a request that was not made are decided like that request. */
function forgetRepeatsOf(missed: readonly PreparedJob[], told: Told): void {
  const keys = new Set(missed.flatMap(({ request }) => (request.requestKey ? [identity(request.requestKey)] : [])))
  for (const job of [...told.keys()]) {
    const { requestKey } = job.request
    if (requestKey && keys.has(identity(requestKey))) told.delete(job)
  }
}

/** Not made: its own key was here before, or there is no room. */
async function tellMissed({ kernel, tx, told }: Round, missed: readonly PreparedJob[]): Promise<void> {
  if (missed.length === 0) return
  const keyed = missed.filter(({ row }) => row.key !== undefined)
  const found =
    keyed.length > 0
      ? await findJobKeys(
          tx,
          keyed.map(({ row }) => keyOf(row)),
        )
      : []
  await Promise.all(
    missed.map(async (job) => {
      const { row } = job
      const earlier = found.find(({ job_type, key }) => job_type === row.jobType && key === row.key)
      if (!earlier) told.set(job, { error: refuseFull(kernel, row.priority, job.request.door) })
      else if (!isRepeatOf(job, earlier.digest))
        told.set(job, { error: otherJob(job, await findJob(tx, earlier.job_id)) })
      else told.set(job, { value: { job: await earlierJob(tx, earlier.job_id, job), isRepeat: true } })
    }),
  )
}

/** Its record may be gone before its key is. */
const earlierJob = async (tx: Transaction, id: string, job: PreparedJob) =>
  (await findJob(tx, id)) ?? { ...accepted(job).job, id }

/**
 * A refused request leaves no outcome behind; one that was told of an earlier job is told of it again. The key of a repeated request
 * belongs to the first, and stays as that has left it.
 */
async function settleRequestKeys(tx: Transaction, told: Told, repeats: ReadonlySet<PreparedJob>): Promise<void> {
  const refused: RequestKey[] = []
  for (const [job, outcome] of told) {
    const { requestKey } = job.request
    if (!requestKey || repeats.has(job)) continue
    if ("error" in outcome) refused.push(requestKey)
    else if (outcome.value.isRepeat) keepOutcome(tx, requestKey, outcome.value.job)
  }
  await releaseRequestKeys(tx, refused)
}
