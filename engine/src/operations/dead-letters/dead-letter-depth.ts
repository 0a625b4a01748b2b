// How many dead letters there are, for metrics and alerts that ask again and again.
import { countDeadLetters } from "../../store/dead-letters/dead-letters.ts"
import type { Context } from "../kernel/context.ts"

const COUNTED_AT_ONCE = 10_000
const COUNTED_EVERY_MS = 15_000

interface Remembered {
  total: Promise<number>
  readonly at: number
}

const remembered = new WeakMap<Context, Remembered>()

/**
 * Up to ten thousand they are counted whenever somebody asks, in about a millisecond: that is the range in which one more or less
 * matters, and an alert must not hear of it late. Beyond that all of them are counted in the background, at most every 15 s, and
 * whoever asks meanwhile is told the last count. A counter kept by triggers or deltas would be exact too, but every replay, retry
 * and retention run would have to keep it, for a number that nobody decides by.
 */
export async function deadLetterDepth(ctx: Context): Promise<number> {
  const few = await countDeadLetters(ctx.db, COUNTED_AT_ONCE + 1)
  return few <= COUNTED_AT_ONCE ? few : countMany(ctx)
}

function countMany(ctx: Context): Promise<number> {
  const at = ctx.clock.nowMs()
  const known = remembered.get(ctx)
  if (known && at < known.at + COUNTED_EVERY_MS) return known.total
  const counting = countDeadLetters(ctx.db)
  const next: Remembered = { at, total: known?.total ?? counting }
  remembered.set(ctx, next)
  counting.then(
    () => {
      next.total = counting
    },
    (error) => {
      if (!known) remembered.delete(ctx)
      ctx.log.warn({ err: error }, "the dead letters could not be counted")
    },
  )
  return next.total
}
