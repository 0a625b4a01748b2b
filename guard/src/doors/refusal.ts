// What a refused caller is told: that it is refused, and when to come back. Never which rule it was, nor why.
import type { Guard } from "../guard.ts"
import type { Throttled, Verdict } from "../verdict.ts"

export interface Refusal {
  readonly status: 403 | 429 | 503
  /** A code of the catalogue of errors. */
  readonly code: "forbidden" | "rate-limited" | "unavailable"
  readonly message: string
  readonly retryAfterSeconds: number | undefined
}

/** One text for all: a different one would tell the rules apart. */
const MESSAGE = "This request was refused. Try again later, or ask the operator of this service."

/** Undefined for what is served, at once or after a delay. */
export function refusalOf(verdict: Verdict): Refusal | undefined {
  if (verdict.state === "hard-blocked")
    return { status: 403, code: "forbidden", message: MESSAGE, retryAfterSeconds: undefined }
  if (verdict.state !== "soft-blocked") return undefined
  const { retryAfterSeconds } = verdict
  return verdict.isUnavailable
    ? { status: 503, code: "unavailable", message: MESSAGE, retryAfterSeconds }
    : { status: 429, code: "rate-limited", message: MESSAGE, retryAfterSeconds }
}

/** Waits for a throttled request's turn; a refusal where too many wait already. */
export async function holdOrRefuse(
  guard: Guard,
  { delayMs }: Throttled,
  gone: AbortSignal,
): Promise<Refusal | undefined> {
  if (await guard.hold(delayMs, gone)) return undefined
  return { status: 429, code: "rate-limited", message: MESSAGE, retryAfterSeconds: guard.retryAfterSeconds(delayMs) }
}

export const retryAfterOf = ({ delayMs }: Throttled): number => Math.ceil(delayMs / 1000)
