// A standalone job as the load asks for it: drawn by chance, and told in its payload how its handler shall fare.
import type { Random } from "../random.ts"

export const LANES = ["critical", "high", "normal"] as const
export type Lane = (typeof LANES)[number]

export const QUEUE_TYPES = ["chaos-mail", "chaos-charge"]

/** At most so many of a key are leased at once, over all processes. */
export const LIMITS: Readonly<Record<string, number>> = { "one-by-one": 1, "in-pairs": 2, "by-fives": 5 }
export const DOWNSTREAM = { name: "chaos-bank", perSecond: 15, concurrency: 3, adaptive: false }
/** The watermarks are low enough that a gate shuts whenever work piles up for a moment. */
export const WATERMARKS = { high: 120, low: 40 }
export const TOTAL_WATERMARKS = { high: 240, low: 100 }

const FATES = ["well", "well", "well", "well", "well", "flaky", "flaky", "doomed", "hopeless", "slow"] as const

/** What the handler is given. `doomed` fails each time, `hopeless` beyond retrying, `slow` may outlive its timeout. */
export interface Payload {
  readonly ref: string
  readonly amount: number
  readonly fate: (typeof FATES)[number]
  readonly retries: number
  readonly delayMs: number
}

export interface JobOrder {
  readonly type: string
  readonly lane: Lane
  readonly payload: Payload
  /** A job is sent again under its own key, or under that of the request. Without either it is sent once only. */
  readonly keptBy: "key" | "request" | "nothing"
  readonly timeoutMs?: number
  readonly fairKey?: string
  readonly limit?: { readonly key: string; readonly max: number }
  readonly downstream?: string
}

/** Short, so that what fails comes to its end within the run. */
export const RETRY = { baseMs: 50, factor: 2, capMs: 400, jitter: "full" } as const

export function drawOrder(ref: string, random: Random): JobOrder {
  const fate = random.pick(FATES)
  return {
    type: random.pick(QUEUE_TYPES),
    lane: random.pick(LANES),
    payload: {
      ref,
      amount: random.between(1, 1_000_000),
      fate,
      retries: random.between(0, 3),
      delayMs: random.chance(0.15) ? random.between(1, 1_500) : 0,
    },
    keptBy: random.pick(["key", "request", "nothing"]),
    ...(fate === "slow" ? { timeoutMs: 500 } : {}),
    ...drawFlow(ref, random),
  }
}

/** Fair keys, limits and downstreams go together in every way. */
function drawFlow(ref: string, random: Random): Pick<JobOrder, "fairKey" | "limit" | "downstream"> {
  return {
    ...(random.chance(0.25) ? { fairKey: `tenant-${random.between(1, 5)}` } : {}),
    ...(random.chance(0.12) ? { limit: drawLimit(ref, random) } : {}),
    ...(random.chance(0.2) ? { downstream: DOWNSTREAM.name } : {}),
  }
}

/** Sometimes a limit key that no other job has: if the job is refused, nothing of the key must be left. */
function drawLimit(ref: string, random: Random): { key: string; max: number } {
  if (random.chance(0.1)) return { key: ref, max: 1 }
  const [key, max] = random.pick(Object.entries(LIMITS))
  return { key, max }
}
