// Reads on and throws away what a caller still sends of a body that is refused: one that writes all of it before it reads would see a
// broken connection in place of the answer, and send the same again.
import type { IncomingMessage } from "node:http"

/** Twice what the largest setting takes. A body that says it is longer is not read at all. */
const MAX_BYTES = 33_554_432
/** Long enough for ten megabytes over ten megabits a second. */
const MAX_MS = 10_000

/** Calls back once: when the body has ended, has gone on for too long, or its caller has left. */
export function discardBody(request: IncomingMessage, done: () => void, readMs: number): void {
  if (request.complete || request.destroyed || Number(request.headers["content-length"] ?? 0) > MAX_BYTES) return done()
  let bytes = 0
  const end = () => {
    clearTimeout(tooLong)
    request.off("data", count).off("end", end).off("close", end)
    done()
  }
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_BYTES) end()
  }
  const tooLong = setTimeout(end, Math.min(MAX_MS, readMs))
  request.on("data", count).on("end", end).on("close", end).resume()
}
