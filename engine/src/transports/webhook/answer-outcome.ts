// What an answer of the receiver means for the event: taken, refused for good, to be tried again, or nothing goes for now.
import type { SendOutcome } from "../../operations/events/sink.ts"
import type { Posted } from "../../support/web/post-json.ts"

/** They say that the same request may be taken later. */
const TRY_AGAIN = new Set([408, 425])
/** They speak of the receiver as a whole, and not of this event. */
const BUSY = new Set([429, 503])
const LONGEST_REST_MS = 3_600_000
const MOST_QUOTED = 200

export function outcomeOf(posted: Posted, nowMs: number): SendOutcome {
  if ("failure" in posted) return { kind: posted.isAway ? "retry" : "failed", reason: posted.failure }
  const { status, retryAfter } = posted
  if (status >= 200 && status < 300) return { kind: "sent" }
  const reason = reasonOf(posted)
  const rest = restOf(retryAfter, nowMs)
  if (BUSY.has(status)) return { kind: "retry", reason, ...rest }
  if (status < 400) return { kind: "retry", reason: `${reason}: no redirect is followed, correct WE_EVENT_WEBHOOK_URL` }
  return status >= 500 || TRY_AGAIN.has(status) ? { kind: "failed", reason, ...rest } : { kind: "refused", reason }
}

function reasonOf({ status, text }: { readonly status: number; readonly text: string }): string {
  const quoted = text.replace(/\s+/g, " ").trim().slice(0, MOST_QUOTED)
  return `the receiver answered ${status}${quoted === "" ? "" : `: ${quoted}`}`
}

/** Retry-After, in seconds or as a date; an hour at most. */
function restOf(retryAfter: string | undefined, nowMs: number): { readonly retryAfterMs?: number } {
  if (retryAfter === undefined) return {}
  const ms = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - nowMs
  return ms > 0 ? { retryAfterMs: Math.min(LONGEST_REST_MS, Math.ceil(ms)) } : {}
}
