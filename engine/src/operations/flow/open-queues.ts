// What of the queues may be handed out now: not what is paused, not what its downstream cannot take yet, not what is known to be empty.

import { PriorityShares } from "../../model/flow/priority-shares.ts"
import { type Wakeups, wakeupsOf } from "../jobs/claim/wakeups.ts"
import { perKernel } from "../kernel/kernel.ts"
import { type LiveSettings, liveSettingsOf } from "./live-settings.ts"
import { type Queue, type QueueRegistry, queuesOf } from "./queue-registry.ts"

interface Parts {
  readonly queues: QueueRegistry
  readonly live: LiveSettings
  readonly wakeups: Wakeups
}

/** Workers ask for few different sets of types. A client that asks for a new set each time gets fresh shares each time. */
const MOST_SHARES = 1_000
/** One pick in so many goes to the job that has waited longest, whatever its fair key. */
const AGED_EVERY = 10

export class OpenQueues {
  readonly #parts: Parts
  readonly #shares = new Map<string, PriorityShares>()
  /** Downstreams that can take nothing just now, and what tells the waiting claims when they can. */
  readonly #resting = new Map<string, NodeJS.Timeout>()
  /** For each fair queue: the key that was served last, and how many picks there were. */
  readonly #turns = new Map<number, { key: string; picks: number }>()

  #turn = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Which of the priorities are owed how much, for all claims of the same types. */
  sharesFor(jobTypes: readonly string[]): PriorityShares {
    const name = jobTypes.join("\n")
    const found = this.#shares.get(name)
    if (found) return found
    if (this.#shares.size >= MOST_SHARES) this.#shares.clear()
    const shares = new PriorityShares()
    this.#shares.set(name, shares)
    return shares
  }

  /** Whether its jobs may be handed out at all. */
  isOpen(queue: Queue): boolean {
    return !this.#resting.has(queue.downstream) && this.#parts.live.pauseOfQueue(queue) === undefined
  }

  /** The queues that a claim may look into: those that may have jobs, and those that were empty at the last look. */
  worthALook(jobTypes: readonly string[]): { readonly lively: readonly Queue[]; readonly quiet: readonly Queue[] } {
    const open = this.#parts.queues.ofTypes(jobTypes).filter((queue) => this.isOpen(queue))
    const { wakeups } = this.#parts
    return {
      lively: open.filter((queue) => !wakeups.isQuiet(queue)),
      quiet: open.filter((queue) => wakeups.isQuiet(queue)),
    }
  }

  /** Whether a new job may go straight to a waiting claim: no pause, no pace and no turn of a fair key is in between. */
  mayHandOver(queue: Queue): boolean {
    return !queue.isFair && !this.isPaced(queue) && this.isOpen(queue)
  }

  isPaced({ downstream }: Queue): boolean {
    return downstream !== "" && this.#parts.live.downstream(downstream) !== undefined
  }

  /** Hands out nothing for the downstream for so long; then the claims that wait for its queues look again. */
  rest(downstream: string, ms: number): void {
    clearTimeout(this.#resting.get(downstream))
    const timer = setTimeout(() => this.#wakeUp(downstream), Math.min(ms, 60_000))
    this.#resting.set(downstream, timer)
  }

  #wakeUp(downstream: string): void {
    clearTimeout(this.#resting.get(downstream))
    if (!this.#resting.delete(downstream)) return
    this.#parts.wakeups.wakeHere(this.#parts.queues.all.filter((queue) => queue.downstream === downstream))
  }

  /** Jobs of these queues have ended: a downstream may have a place more. */
  freed(queueIds: readonly number[]): void {
    if (this.#resting.size === 0) return
    for (const { downstream } of this.#parts.queues.known(queueIds)) {
      if (this.#parts.live.downstream(downstream)?.concurrency != null) this.#wakeUp(downstream)
    }
  }

  /** Paces or pauses have changed: every waiting claim looks again. */
  changed(): void {
    for (const timer of this.#resting.values()) clearTimeout(timer)
    this.#resting.clear()
    this.#parts.wakeups.wakeHere(this.#parts.queues.all)
  }

  /** Rotates the first place among queues of equal rank. */
  nextTurn(): number {
    this.#turn += 1
    return this.#turn
  }

  turnOf(queueId: number): { readonly key: string; readonly picks: number } {
    return this.#turns.get(queueId) ?? { key: "", picks: 0 }
  }

  /** How many of the next picks go to those that have waited longest. */
  agedOf(queueId: number, count: number): number {
    const { picks } = this.turnOf(queueId)
    return Math.floor((picks + count) / AGED_EVERY) - Math.floor(picks / AGED_EVERY)
  }

  tookTurn(queueId: number, key: string, count: number): void {
    this.#turns.set(queueId, { key, picks: this.turnOf(queueId).picks + count })
  }

  stop(): void {
    for (const timer of this.#resting.values()) clearTimeout(timer)
    this.#resting.clear()
  }
}

export const openQueuesOf = perKernel(
  (kernel) => new OpenQueues({ queues: queuesOf(kernel), live: liveSettingsOf(kernel), wakeups: wakeupsOf(kernel) }),
)
