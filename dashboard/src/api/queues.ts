// What steers the queue: weights, watermarks, pauses, limits of downstreams and settings of job types.
import { call, get, patch, post, put, remove } from "./http.ts"
import type { LaneName } from "./overview.ts"
import { queryClient } from "./query-client.ts"

export const LANES = ["critical", "high", "normal"] as const satisfies readonly LaneName[]
export const GATES = [...LANES, "total"] as const
export type GateName = (typeof GATES)[number]

interface InForce {
  /** `database`: somebody chose it while the engine ran. */
  readonly source: "database" | "config"
  readonly changed_at?: string
  readonly changed_by?: string
}

export type Weights = Readonly<Record<LaneName, number>>
export type WeightsInForce = Weights & InForce

export interface Watermark {
  readonly high: number
  readonly low: number
}

export type WatermarksInForce = Readonly<Record<GateName, Watermark & InForce>>

export const PAUSE_KINDS = ["queue", "jobType", "definition", "downstream"] as const
export type PauseKind = (typeof PAUSE_KINDS)[number]

export interface PauseTarget {
  readonly kind: PauseKind
  readonly name: string
}

export interface Pause extends PauseTarget {
  readonly reason?: string
  readonly pausedBy: string
  readonly pausedAt: string
}

export interface DownstreamLimits {
  readonly perSecond?: number
  readonly concurrency?: number
  readonly adaptive: boolean
}

export interface Downstream extends DownstreamLimits {
  readonly name: string
  readonly share: number
  readonly effectivePerSecond?: number
  readonly slowedAt?: string
  readonly closedUntil?: string
  readonly inFlight: number
  readonly waiting: number
  readonly waitingIsExact: boolean
  readonly changedAt?: string
  readonly changedBy?: string
}

/** Jobs of a type are counted to this. */
export const COUNTED_TO = 10_000

export interface JobType {
  readonly name: string
  readonly timeout?: string
  readonly lastPolledAt?: string
  /** Counted to 10,000, as `leased`. */
  readonly ready?: number
  readonly leased?: number
  readonly changedAt?: string
  readonly changedBy?: string
}

const items = async <T>(path: string): Promise<readonly T[]> => (await get<{ items: readonly T[] }>(path)).items

export const weightsQuery = { queryKey: ["queues", "weights"], queryFn: () => get<WeightsInForce>("/queues/weights") }

export const watermarksQuery = {
  queryKey: ["queues", "watermarks"],
  queryFn: () => get<WatermarksInForce>("/queues/watermarks"),
}

export const pausesQuery = { queryKey: ["queues", "pauses"], queryFn: () => items<Pause>("/v1/pauses") }

export const downstreamsQuery = {
  queryKey: ["queues", "downstreams"],
  queryFn: () => items<Downstream>("/v1/downstreams"),
}

export const jobTypesQuery = { queryKey: ["queues", "job-types"], queryFn: () => items<JobType>("/v1/job-types") }

export const setWeights = ({ critical, high, normal }: Weights) => patch("/queues/weights", { critical, high, normal })
export const resetWeights = () => remove("/queues/weights")

export const setWatermarks = (marks: Readonly<Partial<Record<GateName, Watermark>>>) => put("/queues/watermarks", marks)
export const resetWatermarks = () => remove("/queues/watermarks")

/** Answers with the pause that stands: where somebody was first, it is theirs. */
export const pause = (target: PauseTarget, reason: string): Promise<Pause> =>
  post("/v1/pauses", { ...target, ...(reason === "" ? {} : { reason }) })

export const resume = ({ kind, name }: PauseTarget): Promise<void> =>
  remove(`/v1/pauses/${kind}/${encodeURIComponent(name)}`)

const downstreamAt = (name: string): string => `/v1/downstreams/${encodeURIComponent(name)}`

export const setDownstream = (name: string, limits: DownstreamLimits) => put(downstreamAt(name), limits)
export const removeLimits = (name: string) => remove(downstreamAt(name))

/** Undefined takes the operator's word back. */
export const setJobTimeout = (name: string, timeout: string | undefined) =>
  call("PUT", `/v1/job-types/${encodeURIComponent(name)}`, { body: timeout === undefined ? {} : { timeout } })

/** After a change: everything on the screen of the queues is read again. */
export const refreshQueues = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ["queues"] })
