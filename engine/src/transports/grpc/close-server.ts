// The end of the gRPC server: handlers finish, and what is left then has a moment.
import { setTimeout as sleep } from "node:timers/promises"
import type { Listener } from "./http2/listener.ts"
import type { UnderWay } from "./under-way.ts"

/** For the last answers to leave, once no handler works. */
const LAST_ANSWERS_MS = 2_000

type Closing = Pick<Listener, "drain" | "cut">

/**
 * Resolves when every connection has ended, or is cut off: two seconds after the last handler, or when the time is over. A connection
 * does not end by itself where its caller has half sent a message.
 */
export async function closeServer(server: Closing, underWay: UnderWay, shutdownMs: number): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  await Promise.race([server.drain(), idle(underWay, signal), pause(shutdownMs, signal)])
  done.abort()
  server.cut()
}

/** What is left when no handler works is a caller that says nothing, or reads nothing. */
async function idle(underWay: UnderWay, signal: AbortSignal): Promise<void> {
  do {
    await underWay.idle()
    await pause(LAST_ANSWERS_MS, signal)
  } while (!underWay.isIdle && !signal.aborted)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})
