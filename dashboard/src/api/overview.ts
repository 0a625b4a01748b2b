// What the engine tells about itself once a second, over the live connection.
import type { wire } from "@millrace/sdk"

export type Priority = wire.Priority
export const PRIORITIES = ["critical", "high", "normal"] as const satisfies readonly Priority[]

export type Overview = wire.Overview
export type Rates = wire.Rates
export type Gate = wire.GateInView
/** How the jobs of one priority stand. */
export type PriorityInView = wire.LaneInView
export type DownstreamPace = wire.DownstreamInView
