// What steers the queue: weights, watermarks, pauses, limits of downstreams and settings of job types.
import type { wire } from "@millrace/sdk"
import { get, patch, post, put, remove } from "./http.ts"
import { PRIORITIES } from "./overview.ts"
import { queryClient } from "./query-client.ts"

export const GATES = [...PRIORITIES, "total"] as const satisfies readonly (keyof wire.Watermarks)[]
export type GateName = (typeof GATES)[number]

export type Weights = wire.Weights
export type WeightsInForce = wire.WeightsInForce
export type Watermark = wire.Watermark
export type WatermarksInForce = wire.WatermarksInForce

export type PauseKind = wire.PauseKind
export const PAUSE_KINDS = ["queue", "jobType", "definition", "downstream"] as const satisfies readonly PauseKind[]
export type Pause = wire.Pause
export type PauseTarget = Pick<Pause, "kind" | "name">

export type Downstream = wire.Downstream
export type DownstreamLimits = wire.DownstreamLimits
export type JobType = wire.JobType

/** Jobs of a type are counted to this. */
export const COUNTED_TO = 10_000

export const weightsQuery = { queryKey: ["queues", "weights"], queryFn: () => get<"getWeights">("/queues/weights") }

export const watermarksQuery = {
  queryKey: ["queues", "watermarks"],
  queryFn: () => get<"getWatermarks">("/queues/watermarks"),
}

export const pausesQuery = {
  queryKey: ["queues", "pauses"],
  queryFn: async () => (await get<"listPauses">("/v1/pauses")).items,
}

export const downstreamsQuery = {
  queryKey: ["queues", "downstreams"],
  queryFn: async () => (await get<"listDownstreams">("/v1/downstreams")).items,
}

export const jobTypesQuery = {
  queryKey: ["queues", "job-types"],
  queryFn: async () => (await get<"listJobTypes">("/v1/job-types")).items,
}

export const setWeights = ({ critical, high, normal }: Weights) =>
  patch<"setWeights">("/queues/weights", { critical, high, normal })
export const resetWeights = () => remove<"resetWeights">("/queues/weights")

export const setWatermarks = (marks: wire.Watermarks) => put<"setWatermarks">("/queues/watermarks", marks)
export const resetWatermarks = () => remove<"resetWatermarks">("/queues/watermarks")

/** Answers with the pause that stands: where somebody was first, it is theirs. */
export const pause = (target: PauseTarget, reason: string) =>
  post<"pause">("/v1/pauses", { ...target, ...(reason === "" ? {} : { reason }) })

export const resume = ({ kind, name }: PauseTarget) =>
  remove<"resume">(`/v1/pauses/${kind}/${encodeURIComponent(name)}`)

const downstreamAt = (name: string): string => `/v1/downstreams/${encodeURIComponent(name)}`

export const setDownstream = (name: string, limits: DownstreamLimits) =>
  put<"setDownstream">(downstreamAt(name), limits)
export const removeLimits = (name: string) => remove<"deleteDownstream">(downstreamAt(name))

/** Undefined takes the operator's word back. */
export const setJobTimeout = (name: string, timeout: string | undefined) =>
  put<"setJobType">(`/v1/job-types/${encodeURIComponent(name)}`, timeout === undefined ? {} : { timeout })

/** After a change: everything on the screen of the queues is read again. */
export const refreshQueues = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ["queues"] })
