// Limits of concurrency per key. The process that frees room fills it again at once; a leader goes round and fills what a crash has left open.

import type { Outcome } from "../../db/batcher.ts"
import type { Transaction } from "../../db/transaction.ts"
import { PRIORITIES } from "../../model/definitions/definition.ts"
import { fillLimits, listWaitingLimits } from "../../store/jobs/standalone-jobs.ts"
import { wakeQueues } from "../jobs/claim/wake-queues.ts"
import { batched } from "../kernel/batch.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { ProveTerm } from "../kernel/loops.ts"
import { liveSettingsOf } from "./live-settings.ts"

/** Jobs of this key have come, ended or gone back: there may be room for held ones. Never fails: the leader's round comes by. */
export function refillLimits(kernel: Kernel, keys: Iterable<string | null>): void {
  for (const key of new Set(keys)) {
    if (key !== null)
      fills(kernel)
        .submit(key)
        .catch((error) => kernel.log.warn({ err: error }, "a limit could not be filled"))
  }
}

async function fillBatch(kernel: Kernel, keys: readonly string[]): Promise<readonly Outcome<void>[]> {
  const queueIds = await kernel.db.transaction((tx) => fillIn(tx, kernel, [...new Set(keys)].sort()))
  wakeQueues(kernel, queueIds)
  return keys.map(() => ({ value: undefined }))
}

/** The queues in which jobs have become ready. Which priority goes first is drawn by weight. */
export function fillIn(tx: Transaction, kernel: Kernel, keys: readonly string[]): Promise<number[]> {
  const { weights } = liveSettingsOf(kernel)
  return fillLimits(tx, {
    keys,
    weights: PRIORITIES.map((priority) => weights[priority]),
    draws: PRIORITIES.map(() => 1 - kernel.random()),
  })
}

export const fills = batched<string, void>({ run: fillBatch, flights: 1 })

const KEYS_AT_ONCE = 500

/** One round over all keys, a page at a time. */
export class LimitRound {
  readonly #kernel: Kernel
  #afterKey = ""

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  /** True when there may be more. */
  async next(proveTerm: ProveTerm): Promise<boolean> {
    const keys = await listWaitingLimits(this.#kernel.db, this.#afterKey, KEYS_AT_ONCE)
    this.#afterKey = keys.length < KEYS_AT_ONCE ? "" : (keys.at(-1) as string)
    if (keys.length === 0) return false
    const queueIds = await this.#kernel.db.transaction(async (tx) => {
      await proveTerm(tx)
      return fillIn(tx, this.#kernel, keys)
    })
    wakeQueues(this.#kernel, queueIds)
    return this.#afterKey !== ""
  }
}
