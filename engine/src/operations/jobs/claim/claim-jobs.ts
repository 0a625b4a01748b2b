// Claims: ready jobs of the wanted types, oldest first, each under a lease of its own. A claim may wait for work.

import type { Outcome } from "../../../db/batcher.ts"
import { lookAgain, type Slot } from "../../../store/jobs/claims.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import { batched } from "../../kernel/batch.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { seriesOf } from "../../observability/counter-series.ts"
import { claimByPriority } from "./claim-by-priority.ts"
import { type ClaimedJob, ClaimSlot, toJob } from "./claimed-job.ts"
import { giveBackClaims } from "./give-back-claims.ts"
import { hearOfQueues } from "./hear-of-queues.ts"
import { lowWaterOf } from "./low-water.ts"
import { noteClaim } from "./note-claim.ts"
import { notePoll } from "./note-poll.ts"
import { type Seen, type WaitingClaim, wakeupsOf } from "./wakeups.ts"

export interface ClaimRequest extends WaitingClaim {
  /** How long to wait when there is nothing; 0 answers at once. */
  readonly waitMs: number
  readonly signal?: AbortSignal
}

export interface ClaimItem extends WaitingClaim {
  readonly waits: boolean
  readonly seen: Seen
}

const MAX_SLOTS = 500

export async function claimJobs(kernel: Kernel, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const { workerId, jobTypes, signal } = request
  const { workers } = seriesOf(kernel)
  workers.begin(workerId, jobTypes)
  try {
    return await claimOrWait(kernel, request)
  } finally {
    workers.end(workerId, signal?.aborted === true)
  }
}

async function claimOrWait(kernel: Kernel, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  const { jobTypes, waitMs, signal } = request
  const end = performance.now() + waitMs
  for (;;) {
    const wakeups = wakeupsOf(kernel)
    const seen = wakeups.seen()
    notePoll(kernel, request.jobTypes)
    const found = mayFindWork(kernel, request) ? await look(kernel, request, seen) : []
    // A claim that does not wait has looked in vain, and learned of queues that it did not know.
    if (found.length === 0 && waitMs <= 0 && wakeups.hasCome(jobTypes, seen)) return lookOnce(kernel, request)
    const leftMs = end - performance.now()
    if (found.length > 0 || leftMs <= 0 || wakeups.closed || signal?.aborted) return deliver(kernel, found, signal)
    const handed = await wakeups.wait(request, seen, leftMs, signal)
    // Its queue may have been made with the job.
    if (handed.length > 0) notePoll(kernel, request.jobTypes)
    if (handed.length > 0 || signal?.aborted) return deliver(kernel, handed, signal)
  }
}

/** A claim that waits asks the database only about queues in which something may be ready. */
function mayFindWork(kernel: Kernel, { jobTypes, waitMs }: ClaimRequest): boolean {
  if (waitMs <= 0 || wakeupsOf(kernel).closed) return true
  return openQueuesOf(kernel).worthALook(jobTypes).lively.length > 0 || queuesOf(kernel).ofTypes(jobTypes).length === 0
}

/** Jobs for a caller that has gone are ready again at once. */
async function deliver(kernel: Kernel, jobs: readonly ClaimedJob[], signal: AbortSignal | undefined) {
  if (jobs.length === 0 || !signal?.aborted) return jobs
  await giveBackClaims(kernel, jobs)
  return []
}

async function lookOnce(kernel: Kernel, request: ClaimRequest): Promise<readonly ClaimedJob[]> {
  return deliver(kernel, await look(kernel, request, wakeupsOf(kernel).seen()), request.signal)
}

function look(kernel: Kernel, request: ClaimRequest, seen: Seen): Promise<readonly ClaimedJob[]> {
  const { workerId, jobTypes, maxJobs, leaseMs, beats = false, waitMs } = request
  return claims(kernel).submit({ workerId, jobTypes, maxJobs, leaseMs, beats, waits: waitMs > 0, seen })
}

/** Claims of the same types are one. */
async function claimBatch(
  kernel: Kernel,
  items: readonly ClaimItem[],
): Promise<readonly Outcome<readonly ClaimedJob[]>[]> {
  const groups = new Map<string, ClaimItem[]>()
  for (const item of items) {
    const name = item.jobTypes.join("\n")
    groups.set(name, [...(groups.get(name) ?? []), item])
  }
  const jobs = new Map<ClaimItem, ClaimedJob[]>()
  const failures = new Map<ClaimItem, unknown>()
  // A group that fails takes nothing from the others: their jobs are leased already.
  const claim = (group: readonly ClaimItem[]) =>
    claimGroup(kernel, group, jobs).catch((error) => {
      for (const item of group) failures.set(item, error)
    })
  await Promise.all([...groups.values()].map(claim))
  return items.map((item) => (failures.has(item) ? { error: failures.get(item) } : { value: jobs.get(item) ?? [] }))
}

async function claimGroup(
  kernel: Kernel,
  items: readonly ClaimItem[],
  jobs: Map<ClaimItem, ClaimedJob[]>,
): Promise<void> {
  const [{ jobTypes }] = items as [ClaimItem]
  const owners = dealSlots(items)
  const slots = owners.map((item) => new ClaimSlot(item))
  const waits = items.every((item) => item.waits)
  const claim = await claimByPriority(kernel, { jobTypes, slots, waits })
  const { taken } = claim
  kernel.metrics.batchSize.observe({ operation: "claim" }, taken.length)
  noteClaim(kernel, claim, Math.min(...items.map((item) => item.seen)))
  if (taken.length === 0) await noteEmpty(kernel, jobTypes)
  const ownerOf = new Map<Slot, ClaimItem>(slots.map((slot, at) => [slot, owners[at] as ClaimItem]))
  for (const { row, slot } of taken) {
    const owner = ownerOf.get(slot) as ClaimItem
    const job = toJob(kernel, row, slot)
    const mine = jobs.get(owner)
    if (mine) mine.push(job)
    else jobs.set(owner, [job])
  }
}

/** Dealt in turn, so that three jobs for three waiting workers are one each. */
function dealSlots(items: readonly ClaimItem[]): ClaimItem[] {
  const only = items[0]
  if (items.length === 1 && only) return Array<ClaimItem>(Math.min(only.maxJobs, MAX_SLOTS)).fill(only)
  const owners: ClaimItem[] = []
  for (let round = 0; owners.length < MAX_SLOTS; round++) {
    const open = items.filter((item) => item.maxJobs > round)
    if (open.length === 0) break
    owners.push(...open.slice(0, MAX_SLOTS - owners.length))
  }
  return owners
}

/**
 * An empty queue and a queue whose candidates are all locked want opposite cures: they are counted apart. Another process may have
 * made a queue a moment ago, which this one hears of at its next pulse: it is heard of now, and the claims of its type look again.
 */
async function noteEmpty(kernel: Kernel, jobTypes: readonly string[]): Promise<void> {
  const queueIds = queuesOf(kernel)
    .ofTypes(jobTypes)
    .flatMap((queue) => (openQueuesOf(kernel).isOpen(queue) ? [queue.id] : []))
  const after = queueIds.map((id) => lowWaterOf(kernel).peek(id))
  const { ready, queues } = await lookAgain(kernel.db, queueIds, after)
  if (ready) kernel.metrics.jobLockConflicts.inc()
  else kernel.metrics.jobEmptyPolls.inc()
  await hearOfQueues(kernel, queues)
}

export const claims = batched<ClaimItem, readonly ClaimedJob[]>({ run: claimBatch, flights: 1 })
