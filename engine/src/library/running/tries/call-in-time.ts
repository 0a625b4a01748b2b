// One call of a step with a time of its own: when that is over the step is told to stop, and is not waited for.
import { RunTimeout } from "../../authoring/handler-failure.ts"
import type { StepTx } from "../../authoring/step-types.ts"
import { timerMs } from "./timer-ms.ts"

interface InTime {
  /** The signal of the run: aborted when its lease is lost. */
  readonly signal: AbortSignal
  readonly timeoutMs: number | undefined
}

/** A step that hangs would hold its run, and its worker's place, for ever. What it still does or throws later does not count. */
export async function callInTime<T>(
  { signal, timeoutMs }: InTime,
  call: (signal: AbortSignal) => T,
): Promise<Awaited<T>> {
  if (timeoutMs === undefined) return await call(signal)
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(new RunTimeout(timeoutMs)), timerMs(timeoutMs))
  try {
    return await Promise.race([call(AbortSignal.any([signal, over.signal])), whenAborted(over.signal)])
  } catch (error) {
    // A step that has seen the abort may be the first to say so, in words of its own.
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))

/** A step that was not waited for must not write into a transaction that goes on without it. */
export const untilAborted = (tx: StepTx, signal: AbortSignal): StepTx => ({
  async query(text, values) {
    signal.throwIfAborted()
    return tx.query(text, values)
  },
})
