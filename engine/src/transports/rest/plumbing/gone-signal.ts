// Aborts when the client of a request has gone.
import type { FastifyReply } from "fastify"

export function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed || raw.socket?.destroyed) gone.abort()
  else raw.once("close", () => gone.abort())
  return gone.signal
}
