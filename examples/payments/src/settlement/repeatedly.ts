// Runs something again and again with a pause in between. A failure is not the end: the next round may succeed.
import { setTimeout as sleep } from "node:timers/promises"

export function repeatedly(pauseMs: number, run: () => Promise<unknown>): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const rounds = async () => {
    while (!stopping.signal.aborted) {
      await run().catch(() => {})
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const ended = rounds()
  return {
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}
