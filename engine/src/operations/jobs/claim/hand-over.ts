// A job that is made while a claim waits for its type is leased in the very transaction that makes it, and handed over at its commit:
// no wake-up, no claim. A claim waits only when it has found its queues empty, so no older job is overtaken.

import type { Transaction } from "../../../db/transaction.ts"
import { insertLeasedJobs, type LeasedRow, type Slot } from "../../../store/jobs/claims.ts"
import type { NewJobRow } from "../../../store/jobs/jobs.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { type ClaimedJob, mintSlot, observePickup, toJob } from "./claimed-job.ts"
import { countHandedOut } from "./note-claim.ts"
import type { TakenClaim } from "./wakeups.ts"
import { wakeupsOf } from "./wakeups.ts"

interface Hand {
  readonly claim: TakenClaim
  readonly jobs: ClaimedJob[]
  given: number
}

interface Given {
  readonly hand: Hand
  readonly slot: Slot
}

/** The waiting claims that one transaction fills: they get their jobs at its commit. */
export class Hands {
  readonly #kernel: Kernel
  readonly #hands: Hand[] = []
  readonly #given = new Map<string, Given>()
  /** The queues of the jobs that were written, in any order. */
  readonly #queueIds: number[] = []

  constructor(kernel: Kernel, tx: Transaction) {
    this.#kernel = kernel
    tx.afterCommit(() => this.#open())
    tx.afterRollback(() => {
      for (const { claim } of this.#hands) claim.end([])
    })
  }

  /** A lease for a new job, where a claim waits for its type and it may be handed out. */
  slotFor(jobType: string, queueId: number): Slot | undefined {
    const queue = queuesOf(this.#kernel).of(queueId)
    const hand = queue && openQueuesOf(this.#kernel).mayHandOver(queue) ? this.#freest(jobType) : undefined
    if (!hand) return undefined
    const slot = mintSlot(hand.claim)
    hand.given += 1
    this.#given.set(slot.nonce, { hand, slot })
    return slot
  }

  /** The job has been written, with that lease. */
  give(nonce: string, row: LeasedRow): void {
    const { hand, slot } = this.#given.get(nonce) as Given
    hand.jobs.push(toJob(this.#kernel, row, slot))
    this.#queueIds.push(row.queue_id)
  }

  #open(): void {
    for (const queueId of this.#queueIds) countHandedOut(this.#kernel, queueId)
    for (const { claim, jobs } of this.#hands) {
      for (const _ of jobs) observePickup(this.#kernel, 0)
      claim.end(jobs)
    }
  }

  /** In turn, so that three jobs for three waiting workers are one each. */
  #freest(jobType: string): Hand | undefined {
    const claim = wakeupsOf(this.#kernel).take(jobType)
    if (claim) {
      const hand = { claim, jobs: [], given: 0 }
      this.#hands.push(hand)
      return hand
    }
    let freest: Hand | undefined
    for (const hand of this.#hands) {
      const fits = hand.given < hand.claim.maxJobs && hand.claim.jobTypes.includes(jobType)
      if (fits && (!freest || hand.given < freest.given)) freest = hand
    }
    return freest
  }
}

type HandedJob = NewJobRow & { readonly jobType: string }

/** Leases the new jobs for which claims wait, and returns the others. In a caller's transaction, whose commit is not seen here, all are returned. */
export function handOver<Job extends HandedJob>(kernel: Kernel, tx: Transaction, jobs: readonly Job[]): readonly Job[] {
  if (!tx.isOurs || jobs.length === 0) return jobs
  const hands = new Hands(kernel, tx)
  const leased: (Job & Slot & { readonly leaseMs: number })[] = []
  const others: Job[] = []
  for (const job of jobs) {
    const slot = hands.slotFor(job.jobType, job.queueId)
    if (slot) leased.push({ ...job, ...slot, leaseMs: slot.leaseMs ?? kernel.settings.leaseDefaultMs })
    else others.push(job)
  }
  if (leased.length > 0) {
    insertLeasedJobs(tx, leased, (rows) => {
      for (const row of rows) hands.give(row.nonce, row)
    })
  }
  return others
}
