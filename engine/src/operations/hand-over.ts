// A job that is made while a claim waits for its type is leased in the very transaction that makes it, and handed over at its commit:
// no wake-up, no claim. A claim waits only when it has found its queues empty, so nobody is overtaken.
import type { Transaction } from "../db/transaction.ts"
import { insertLeasedJobs, type NewJobRow, type Slot } from "../store/jobs.ts"
import { type ClaimedJob, mintSlot, observePickup, toJob } from "./claimed-job.ts"
import type { Context } from "./context.ts"
import type { TakenClaim } from "./wakeups.ts"

interface Hand {
  readonly claim: TakenClaim
  readonly jobs: ClaimedJob[]
  given: number
}

interface Given {
  readonly hand: Hand
  readonly slot: Slot
}

/** Leases those of the new jobs that somebody waits for. Returns the others: all, where nobody can say when it commits. */
export function handOver<Job extends NewJobRow & { readonly jobType: string }>(
  ctx: Context,
  tx: Transaction,
  jobs: readonly Job[],
): readonly Job[] {
  if (!tx.isOurs) return jobs
  const hands: Hand[] = []
  const given = new Map<string, Given>()
  const leased: (Job & Slot)[] = []
  const others: Job[] = []
  for (const job of jobs) {
    const hand = freeHand(ctx, hands, job.jobType)
    if (!hand) {
      others.push(job)
      continue
    }
    const slot = mintSlot(hand.claim)
    hand.given += 1
    given.set(slot.nonce, { hand, slot })
    leased.push({ ...job, ...slot })
  }
  if (leased.length === 0) return others
  insertLeasedJobs(tx, leased, (rows) => {
    for (const row of rows) {
      const { hand, slot } = given.get(row.nonce) as Given
      hand.jobs.push(toJob(ctx, row, slot))
    }
  })
  tx.afterCommit(() => {
    for (const { claim, jobs } of hands) {
      for (const _ of jobs) observePickup(ctx, 0)
      claim.end(jobs)
    }
  })
  tx.afterRollback(() => {
    for (const { claim } of hands) claim.end([])
  })
  return others
}

/** In turn, so that three jobs for three waiting workers are one each. */
function freeHand(ctx: Context, hands: Hand[], jobType: string): Hand | undefined {
  const claim = ctx.wakeups.take(jobType)
  if (claim) {
    const hand = { claim, jobs: [], given: 0 }
    hands.push(hand)
    return hand
  }
  let freest: Hand | undefined
  for (const hand of hands) {
    const fits = hand.given < hand.claim.maxJobs && hand.claim.jobTypes.includes(jobType)
    if (fits && (!freest || hand.given < freest.given)) freest = hand
  }
  return freest
}
