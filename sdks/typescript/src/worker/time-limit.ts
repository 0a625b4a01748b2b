// The time that one attempt may take: when it is over the handler is told to stop, and not waited for.
import type { Clock } from "../calls/clock.ts"
import { JobTimeoutError } from "./handler-errors.ts"

export interface TimeLimit {
  /** Aborts with the lease, and when the time is over. */
  readonly signal: AbortSignal
  /** Rejects when the time is over. */
  readonly over: Promise<never>
  cancel(): void
}

/** A longer timer would go off at once. */
const LONGEST_MS = 2 ** 31 - 1

export function startTimeLimit(seconds: number, leased: AbortSignal, clock: Clock): TimeLimit {
  const abort = new AbortController()
  let cancel = () => {}
  const over = new Promise<never>((_, reject) => {
    cancel = clock.after(Math.min(LONGEST_MS, seconds * 1000), () => {
      const reason = new JobTimeoutError(`timed out after ${seconds} s`)
      abort.abort(reason)
      reject(reason)
    })
  })
  // The error reaches the code that waits for it.
  over.catch(() => {})
  return { signal: AbortSignal.any([leased, abort.signal]), over, cancel: () => cancel() }
}
