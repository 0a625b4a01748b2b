// Limits of concurrency per key. Whoever frees room fills it again at once; a leader goes round and fills what a crash has left open.
import type { Outcome } from "../../db/batcher.ts"
import { fillLimits, listWaitingLimits } from "../../store/jobs/standalone-jobs.ts"
import type { Guard } from "../instances/advance.ts"
import type { Context } from "../kernel/context.ts"

/** Jobs of this key have come, ended or gone back: there may be room for held ones. Never fails: the leader's round comes by. */
export function refillLimits(ctx: Context, keys: Iterable<string | null>): void {
  for (const key of new Set(keys)) {
    if (key !== null)
      ctx.fills.submit(key).catch((error) => ctx.log.warn({ err: error }, "a limit could not be filled"))
  }
}

export async function fillBatch(ctx: Context, keys: readonly string[]): Promise<readonly Outcome<void>[]> {
  const queueIds = await ctx.db.transaction((tx) => fillLimits(tx, [...new Set(keys)].sort()))
  ctx.wakeups.wake(ctx.queues.known(queueIds))
  return keys.map(() => ({ value: undefined }))
}

const KEYS_AT_ONCE = 500

/** One round over all keys, a page at a time. */
export class LimitRound {
  readonly #ctx: Context
  #afterKey = ""

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** True when there may be more. */
  async next(guard: Guard): Promise<boolean> {
    const keys = await listWaitingLimits(this.#ctx.db, this.#afterKey, KEYS_AT_ONCE)
    this.#afterKey = keys.length < KEYS_AT_ONCE ? "" : (keys.at(-1) as string)
    if (keys.length === 0) return false
    const queueIds = await this.#ctx.db.transaction(async (tx) => {
      await guard(tx)
      return fillLimits(tx, keys)
    })
    this.#ctx.wakeups.wake(this.#ctx.queues.known(queueIds))
    return this.#afterKey !== ""
  }
}
