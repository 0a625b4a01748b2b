// Reads a body whose length is known.
import type { IncomingMessage } from "node:http"

const LENGTH = /^\d{1,9}$/

/** The length of its body; 0 where it has none, or does not say so before. */
export function lengthOf({ headers }: IncomingMessage): number {
  const length = headers["content-length"]
  return length !== undefined && LENGTH.test(length) ? Number(length) : 0
}

/** Calls back when all of it is there. Node answers and hangs up where it does not come in time, and where its caller has left. */
export function readWhole(raw: IncomingMessage, done: (body: Buffer) => void): void {
  const length = lengthOf(raw)
  const chunks: Buffer[] = []
  let size = 0
  raw.on("data", (chunk: Buffer) => {
    size += chunk.length
    // Put together once: a body that comes byte by byte would cost the square of its length.
    chunks.push(chunk)
    if (size === length) done(chunks.length === 1 ? chunk : Buffer.concat(chunks))
  })
}
