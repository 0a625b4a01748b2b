// Notices a connection that died without a word: a ping while calls are open, and the end if none answers it.
import type { Http2Session } from "node:http2"

const EVERY_MS = 60_000
const ANSWER_MS = 20_000

export interface KeepAlivePace {
  readonly everyMs: number
  readonly answerMs: number
}

export function keepAlive(
  session: Http2Session,
  hasCalls: () => boolean,
  { everyMs, answerMs }: KeepAlivePace = { everyMs: EVERY_MS, answerMs: ANSWER_MS },
): void {
  const timer = setInterval(() => hasCalls() && ping(session, answerMs), everyMs).unref()
  session.once("close", () => clearInterval(timer))
}

function ping(session: Http2Session, answerMs: number): void {
  const late = setTimeout(() => session.destroy(new Error("no answer to a ping")), answerMs).unref()
  const answered = () => clearTimeout(late)
  if (session.destroyed || !session.ping(answered)) answered()
}
