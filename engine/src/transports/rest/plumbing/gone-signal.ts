// Aborts when the client of a request has gone.
import type { Answering } from "./exchange.ts"

export function goneSignal({ raw }: Pick<Answering, "raw">): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed || raw.socket?.destroyed) gone.abort()
  else raw.once("close", () => gone.abort())
  return gone.signal
}
