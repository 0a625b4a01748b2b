// The end of a run: every process may stop by itself.
import type { Slot } from "./nodes.ts"

const STOP_WITHIN_MS = 60_000

/** Violations in words. */
export async function stopAll(slots: readonly Slot[]): Promise<string[]> {
  const graceful = await Promise.all(slots.map((slot) => slot.stop(STOP_WITHIN_MS)))
  return graceful.flatMap((ok, slot) =>
    ok ? [] : [`F13: process ${slot} did not stop by itself within ${STOP_WITHIN_MS} ms`],
  )
}
