// Whether an answer is as expected: now, or after some time.
import { setTimeout as pause } from "node:timers/promises"
import { unlike } from "./match.ts"

/** A condition that does not come about in this time never will; a busy machine is given plenty. */
const PATIENCE_MS = 200_000
const LOOK_EVERY_MS = 20

export function insist(expected: unknown, seen: unknown): void {
  const faults = expected === undefined ? [] : unlike(expected, seen)
  if (faults.length > 0) throw new Error(faults.join("\n"))
}

/** Looks again until it is as expected. No transport tells a client that an instance moved. */
export async function awaitLike(expected: unknown, look: () => Promise<unknown>): Promise<unknown> {
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    const faults = unlike(expected, seen)
    if (faults.length === 0) return seen
    if (performance.now() > end) throw new Error(`it never came to this: ${faults.join("\n")}`)
    await pause(LOOK_EVERY_MS)
  }
}
