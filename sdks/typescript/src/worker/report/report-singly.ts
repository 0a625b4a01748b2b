// Sends one report by itself: for engines without exchange, and to find the one bad report in a refused batch.

import type { CallOptions } from "../../calls/caller.ts"
import { MillraceError, TransportError } from "../../calls/errors.ts"
import type { JobCalls, ReportOutcome } from "../../client/job-types.ts"
import type { Report } from "./report.ts"

export type Delivery =
  | { readonly kind: "delivered"; readonly outcome: ReportOutcome }
  /** The engine will never take this report. */
  | { readonly kind: "refused"; readonly error: MillraceError }
  | { readonly kind: "unsendable"; readonly error: unknown }
  | { readonly kind: "undelivered"; readonly error: unknown }

/** Malformed, too large, unsupported, contradicting: the report itself is wrong. */
const REFUSED = new Set([400, 413, 415, 422])

export const isRefusal = (error: unknown): error is MillraceError =>
  error instanceof MillraceError && REFUSED.has(error.status)

/** The engine was there, and this request got no answer: the fault may lie with its size. */
export const isLost = (error: unknown): error is TransportError =>
  error instanceof TransportError && (error.kind === "interrupted" || error.kind === "timeout")

export const isCut = (error: unknown): boolean => isLost(error) && error.kind === "interrupted"

/** Nothing was sent: the fault lies with what the report holds, and neither with the engine nor with the link. */
export const isUnsendable = (error: unknown, signal: AbortSignal | undefined): boolean =>
  !(error instanceof MillraceError || error instanceof TransportError || signal?.aborted)

export async function reportSingly(
  calls: JobCalls,
  workerId: string,
  { job, outcome }: Report,
  options: CallOptions,
): Promise<Delivery> {
  // An empty token would be refused.
  const signed = { workerId, ...(job.leaseToken ? { leaseToken: job.leaseToken } : {}) }
  try {
    const { kind, bytes, ...what } = outcome
    if (kind === "completed") await calls.complete(job.id, { ...signed, ...what }, options)
    else await calls.fail(job.id, { ...signed, ...(what as { retryable: boolean; errorMessage: string }) }, options)
    return { kind: "delivered", outcome: "accepted" }
  } catch (error) {
    return isUnsendable(error, options.signal) ? { kind: "unsendable", error } : explain(error)
  }
}

function explain(error: unknown): Delivery {
  if (isRefusal(error)) return { kind: "refused", error }
  if (error instanceof MillraceError && error.status === 409) return { kind: "delivered", outcome: "stale" }
  if (error instanceof MillraceError && error.status === 404) return { kind: "delivered", outcome: "unknown" }
  return { kind: "undelivered", error }
}
