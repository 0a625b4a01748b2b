// The counter series behind the charts: what happened per span of time, and how deep the lanes were.
import { get } from "./http.ts"
import type { Rates } from "./overview.ts"

export const WINDOWS = { PT15M: "15 min", PT1H: "1 h", P1D: "24 h" } as const
export type Window = keyof typeof WINDOWS

export type CounterName = keyof Rates
export type GaugeName = "depthCritical" | "depthHigh" | "depthNormal" | "leased" | "deadLetters"

export interface Stats {
  readonly window: Window
  readonly stepSeconds: number
  readonly from: string
  readonly to: string
  /** As long as each other, oldest first. Counters are counts per step, gauges null where they are not known. */
  readonly series: Readonly<Record<CounterName | "at", readonly number[]>> &
    Readonly<Record<GaugeName, readonly (number | null)[]>>
}

/** A chart is read again when it has a new point to show, not whenever something happens. */
const READ_EVERY_MS: Readonly<Record<Window, number>> = { PT15M: 6_000, PT1H: 15_000, P1D: 60_000 }

export const statsQuery = (window: Window) => ({
  queryKey: ["stats", window],
  queryFn: () => get<Stats>("/v1/stats", { window }),
  refetchInterval: READ_EVERY_MS[window],
})
