// What a step throws when another try may succeed, and how long that try waits.
import { backoffMs } from "../../model/jobs/retry-delay.ts"
import { badRequest } from "../../support/errors.ts"
import { type Delay, delayMs } from "./delay.ts"

export interface RetryableErrorOptions {
  /** Before the first retry; doubles with each. 30 s. */
  readonly baseDelay?: Delay
  /** No retry waits longer, jitter aside. 1 h, or the base delay if that is longer. */
  readonly maxDelay?: Delay
  /** 0.2: a delay is up to a fifth shorter or longer, so that runs which failed together do not come back together. */
  readonly jitterFactor?: number
  /** The linking id whose event makes waiting pointless: `wake(linkingId)` retries at once. */
  readonly wakeOn?: string
  readonly cause?: unknown
}

const BASE_MS = 30_000
const MAX_MS = 3_600_000
const JITTER = 0.2

export class RetryableError extends Error {
  override name = "RetryableError"
  readonly baseDelayMs: number
  readonly maxDelayMs: number
  readonly jitterFactor: number
  readonly wakeOn: string | undefined
  /** The error says how long to wait. Otherwise a step's retry rule may say it. */
  readonly saysDelay: boolean

  constructor(message: string, options: RetryableErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined)
    this.baseDelayMs = delayMs("baseDelay of a RetryableError", options.baseDelay) ?? BASE_MS
    this.maxDelayMs = delayMs("maxDelay of a RetryableError", options.maxDelay) ?? Math.max(MAX_MS, this.baseDelayMs)
    this.jitterFactor = checkedJitter(options.jitterFactor ?? JITTER)
    this.wakeOn = checkedLinkingId(options.wakeOn)
    const { baseDelay, maxDelay, jitterFactor } = options
    this.saysDelay = [baseDelay, maxDelay, jitterFactor].some((each) => each !== undefined)
  }
}

/** Milliseconds, by how many retries there were before: min(base·2^before, max) · (1 ± jitter·rand). */
export function backoffOf(error: RetryableError, random: () => number): (retriesBefore: number) => number {
  const backoff = { baseMs: error.baseDelayMs, factor: 2, capMs: error.maxDelayMs }
  return (retriesBefore) =>
    Math.round(backoffMs(backoff, retriesBefore) * (1 + error.jitterFactor * (2 * random() - 1)))
}

function checkedJitter(factor: number): number {
  if (factor >= 0 && factor <= 1) return factor
  throw badRequest(`jitterFactor of a RetryableError must be from 0 to 1, not ${factor}`)
}

function checkedLinkingId(id: string | undefined): string | undefined {
  if (id === undefined || (typeof id === "string" && id !== "")) return id
  throw badRequest("wakeOn of a RetryableError must be a linking id: a text that is not empty")
}
