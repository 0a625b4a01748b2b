// How long each retry waits, as callers of the library write it: of a job and of a step alike.
import type { JitteredBackoff } from "../../../model/jobs/retry-delay.ts"
import { badRequest } from "../../../support/errors.ts"
import { type Delay, delayMs } from "../delay.ts"

/** delay = min(cap, base × factor^(n−1)), then jitter: "partial" takes its upper half, "full" any part of it. */
export interface BackoffOption {
  readonly base?: Delay
  readonly factor?: number
  readonly cap?: Delay
  readonly jitter?: "none" | "partial" | "full"
}

export const BACKOFF_FIELDS = ["base", "factor", "cap", "jitter"]
const JITTERS: readonly unknown[] = ["none", "partial", "full"]

/** What is left out is as in `otherwise`. */
export function readBackoff(what: string, given: BackoffOption, otherwise: JitteredBackoff): JitteredBackoff {
  const { factor = otherwise.factor, jitter = otherwise.jitter } = given
  if (!(factor >= 1 && factor <= 100)) throw badRequest(`${what}.factor must be a number from 1 to 100, not ${factor}`)
  if (!JITTERS.includes(jitter)) throw badRequest(`${what}.jitter must be one of ${JITTERS.join(", ")}`)
  const baseMs = delayMs(`${what}.base`, given.base) ?? otherwise.baseMs
  const capMs = delayMs(`${what}.cap`, given.cap) ?? Math.max(baseMs, otherwise.capMs)
  if (capMs < baseMs)
    throw badRequest(`${what}.cap is shorter than base: no retry may wait longer than the cap, raise it`)
  return { baseMs, factor, capMs, jitter }
}
