// How many dead letters there are, for metrics and alerts that ask again and again.
import { countDeadLetters } from "../../store/dead-letters/dead-letters.ts"
import type { Kernel } from "../kernel/kernel.ts"

const COUNTED_AT_ONCE = 10_000
const COUNTED_EVERY_MS = 15_000

interface Remembered {
  total: Promise<number>
  readonly at: number
}

const remembered = new WeakMap<Kernel, Remembered>()

/**
 * Up to ten thousand they are counted at every request, in about a millisecond: that is the range in which one more or less
 * matters, and an alert must not hear of it late. Beyond that all of them are counted in the background, at most every 15 s, and
 * a request meanwhile is told the last count. A counter kept by triggers or deltas would be exact too, but every replay, retry
 * and retention run would have to keep it, for a number that decides nothing.
 */
export async function deadLetterDepth(kernel: Kernel): Promise<number> {
  const few = await countDeadLetters(kernel.db, COUNTED_AT_ONCE + 1)
  return few <= COUNTED_AT_ONCE ? few : countMany(kernel)
}

function countMany(kernel: Kernel): Promise<number> {
  const at = kernel.clock.nowMs()
  const known = remembered.get(kernel)
  if (known && at < known.at + COUNTED_EVERY_MS) return known.total
  const counting = countDeadLetters(kernel.db)
  const next: Remembered = { at, total: known?.total ?? counting }
  remembered.set(kernel, next)
  counting.then(
    () => {
      next.total = counting
    },
    (error) => {
      if (!known) remembered.delete(kernel)
      kernel.log.warn({ err: error }, "the dead letters could not be counted")
    },
  )
  return next.total
}
