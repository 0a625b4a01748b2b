// Standalone jobs with a key of their own, or of their request, in a batch: repeats are told what the first was told.
import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { identity, type RequestKey } from "../../../store/instances/keys.ts"
import { enqueueJobsNow } from "../../../store/jobs/enqueue.ts"
import { setLimits } from "../../../store/jobs/standalone-jobs.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { claimRequestKeys, releaseRequestKeys } from "../../kernel/idempotency.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { announceReady, countEnqueued, hearGates } from "./announce-jobs.ts"
import { accepted, type Enqueued, type EnqueueItem, limitsOf } from "./enqueue-item.ts"
import { judgeRepeat } from "./enqueue-keys.ts"

type Told = Map<EnqueueItem, Outcome<Enqueued>>

export async function enqueueKeyed(
  kernel: Kernel,
  items: readonly EnqueueItem[],
): Promise<readonly Outcome<Enqueued>[]> {
  kernel.metrics.batchSize.observe({ operation: "enqueue" }, items.length)
  const told = await kernel.db.transaction(async (tx) => {
    await setLockTimeout(tx)
    const told: Told = await repeatsOf(tx, items)
    const fresh = items.filter((item) => !told.has(item))
    if (fresh.length > 0) await enqueueFresh(kernel, tx, fresh, told)
    return told
  })
  // Not made: its own key was here before, or there is no room.
  return Promise.all(items.map((item) => told.get(item) ?? judgeRepeat(kernel, item)))
}

/** Requests that were here before. */
async function repeatsOf(tx: Transaction, items: readonly EnqueueItem[]): Promise<Told> {
  const keyed = items.filter((item) => item.request.requestKey)
  if (keyed.length === 0) return new Map()
  const verdicts = await claimRequestKeys(
    tx,
    keyed.map((item) => ({
      key: item.request.requestKey as RequestKey,
      answer: { status: 202, body: JSON.stringify(accepted(item).job) },
    })),
  )
  const told: Told = new Map()
  keyed.forEach((item, index) => {
    const verdict = verdicts[index]
    if (verdict)
      told.set(
        item,
        "error" in verdict ? verdict : { value: { job: accepted(item).job, isRepeat: true, replay: verdict } },
      )
  })
  return told
}

async function enqueueFresh(kernel: Kernel, tx: Transaction, fresh: readonly EnqueueItem[], told: Told): Promise<void> {
  const answer = await enqueueJobsNow(
    tx,
    fresh.map(({ row }) => row),
    kernel.settings,
  )
  hearGates(kernel, answer)
  const ids = new Set(answer.ids)
  const made = fresh.filter(({ row }) => ids.has(row.id))
  const missed = fresh.filter(({ row }) => !ids.has(row.id))
  // Of those that were taken: a job that is refused leaves no trace.
  const limits = limitsOf(made)
  if (limits.length > 0) setLimits(tx, limits)
  for (const item of made) told.set(item, { value: accepted(item) })
  await letGo(tx, missed, told)
  countEnqueued(kernel, tx, made.length)
  tx.afterCommit(() =>
    announceReady(
      kernel,
      made.map(({ row }) => row),
    ),
  )
}

/** What was not made leaves no answer behind, nor do repeats of it in the same batch. */
async function letGo(tx: Transaction, missed: readonly EnqueueItem[], told: Told): Promise<void> {
  const keys = missed.flatMap(({ request }) => request.requestKey ?? [])
  await releaseRequestKeys(tx, keys)
  const released = new Set(keys.map(identity))
  for (const item of [...told.keys()]) {
    const { requestKey } = item.request
    if (requestKey && released.has(identity(requestKey))) told.delete(item)
  }
}
