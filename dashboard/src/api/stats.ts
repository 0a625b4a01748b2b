// The counter series behind the charts: what happened per span of time, and how many jobs waited.
import type { wire } from "@millrace/sdk"
import { get } from "./http.ts"

export type Stats = wire.Stats
export type Window = Stats["window"]
export const WINDOWS: Readonly<Record<Window, string>> = { PT15M: "15 min", PT1H: "1 h", P1D: "24 h" }

export type CounterName = keyof wire.Rates
export type GaugeName = Exclude<keyof wire.Series, CounterName | "at">

/** A chart is read again when it has a new point to show, not whenever something happens. */
const READ_EVERY_MS: Readonly<Record<Window, number>> = { PT15M: 6_000, PT1H: 15_000, P1D: 60_000 }

export const statsQuery = (window: Window) => ({
  queryKey: ["stats", window],
  queryFn: () => get<"getStats">("/v1/stats", { window }),
  refetchInterval: READ_EVERY_MS[window],
})
