// No connection lives for ever, so that those of a fleet find new replicas.
import { constants, type Http2Session } from "node:http2"

const MAX_AGE_MS = 10 * 60_000
/** Streams of jobs end by themselves within it. */
const GRACE_MS = 6 * 60_000

/** The last number that a stream can have: calls that are on their way are taken still. */
const LAST_STREAM = 2 ** 31 - 1

/** Tells the caller to go elsewhere when its connection is old, and ends what has not ended by itself in time. */
export function age(session: Http2Session): void {
  let timer = setTimeout(() => {
    session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM, Buffer.from("max_age"))
    session.close()
    timer = setTimeout(() => session.destroy(), GRACE_MS).unref()
  }, spread(MAX_AGE_MS)).unref()
  session.once("close", () => clearTimeout(timer))
}

/** A tenth either way: what was opened together does not end together. */
export const spread = (ms: number): number => ms * (0.9 + Math.random() * 0.2)
