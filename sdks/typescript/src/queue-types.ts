// Jobs that stand alone, and what steers the queue, as the client gives and takes them.
import type { Priority } from "./definition-types.ts"
import type { Bulk, Variables } from "./wire-types.ts"

export type RetryPreset = "jittered" | "minutes" | "immediate"

/** Durations are ISO-8601, such as PT30S. */
export interface EnqueueOptions {
  /** normal */
  readonly priority?: Priority
  /** One job per type and key, as long as its record is kept. */
  readonly key?: string
  /** Not before this much time has passed. */
  readonly delay?: string
  /** How long one attempt may run: PT30S. */
  readonly timeout?: string
  /** 5; with `retry: "minutes"` 3, with "immediate" 0. */
  readonly retries?: number
  /** How they are spaced: "jittered", up to 1, 2, 4 … 60 s. */
  readonly retry?:
    | RetryPreset
    | {
        readonly base?: string
        readonly factor?: number
        readonly cap?: string
        readonly jitter?: "none" | "partial" | "full"
      }
  /** Jobs take turns by it, such as a tenant's name. */
  readonly fairKey?: string
  /** At most `max` jobs of this key at a time. */
  readonly limit?: { readonly key: string; readonly max: number }
  /** One job per key within a window: another is refused, or takes its place. */
  readonly unique?: { readonly key: string; readonly for: string; readonly mode?: "refuse" | "debounce" }
  /** The system it calls, whose limits it keeps to. */
  readonly downstream?: string
}

export interface NewJob<P extends object = Variables> extends EnqueueOptions {
  /** `payload.type` when absent. */
  readonly type?: string
  readonly payload: P
}

export type StandaloneStatus = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED"

export interface StandaloneJob<P extends object = Variables, R extends object = Variables> {
  readonly id: string
  readonly type: string
  readonly status: StandaloneStatus
  readonly priority: Priority
  readonly payload: P
  readonly result: R | null
  readonly retryCount: number
  /** Of the last attempt that failed. */
  readonly error: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** When it is due, where it waits for a time. */
  readonly dueAt?: string
  readonly workerId?: string
  /** The job whose dead letter was replayed as this one. */
  readonly replayOf?: string
}

export type Weights = Readonly<Record<Priority, number>>
export type Source = "database" | "config"
export type GateName = Priority | "total"

export interface Watermark {
  readonly high: number
  readonly low: number
}

export interface QueueMetrics {
  readonly depths: Readonly<Record<Priority, number>>
  readonly total: number
  readonly highWatermark: number
  readonly lowWatermark: number
  readonly acceptingJobs: boolean
  readonly backpressureActive: boolean
  readonly dlqDepth: number
  readonly dlqDepthIsExact: boolean
  readonly gates: Readonly<
    Record<GateName, { depth: number; highWatermark: number; lowWatermark: number; shut: boolean }>
  >
}

export interface DeadLetterFilter {
  readonly type?: string
  readonly priority?: Priority
  readonly definitionId?: string
  /** Fingerprint of the error. */
  readonly error?: string
  readonly since?: string
  readonly before?: string
}

export interface DeadLetter {
  readonly id: string
  readonly source: "job" | "step"
  readonly jobId: string
  readonly type: string
  readonly priority: Priority
  readonly reason: "exhausted" | "not-retryable" | "worker-lost"
  readonly error: string
  readonly fingerprint: string
  readonly attempts: number
  readonly retryCount: number
  readonly deadAt: string
  readonly instanceId?: string
  readonly definitionId?: string
  readonly stepId?: string
  readonly payload?: Variables
}

export interface DeadLetterPage {
  readonly items: readonly DeadLetter[]
  readonly nextCursor?: string
}

export interface DeadLetterGroup {
  readonly fingerprint: string
  readonly error: string
  readonly count: number
  readonly countIsExact: boolean
  readonly firstAt: string
  readonly lastAt: string
}

export interface DeadLetterBulk extends Bulk {
  /** Of a dry run. */
  readonly examples?: readonly DeadLetter[]
}

export interface Replayed {
  /** The dead letter. */
  readonly replayed: string
  readonly jobId?: string
}

export type PauseKind = "queue" | "jobType" | "definition" | "downstream"

export interface Pause {
  readonly kind: PauseKind
  readonly name: string
  readonly reason?: string
  readonly pausedBy: string
  readonly pausedAt: string
}

export interface DownstreamLimits {
  readonly perSecond?: number
  readonly concurrency?: number
  readonly adaptive?: boolean
}

export interface Downstream extends DownstreamLimits {
  readonly name: string
  readonly adaptive: boolean
  /** What is left of its limits after it pushed back; 1 is all. */
  readonly share: number
  readonly effectivePerSecond?: number
  readonly slowedAt?: string
  readonly closedUntil?: string
  readonly inFlight: number
  readonly waiting: number
  readonly waitingIsExact: boolean
}

export interface JobType {
  readonly name: string
  readonly timeout?: string
  readonly lastPolledAt?: string
}

export interface Workers {
  readonly items: readonly {
    readonly workerId: string
    readonly inFlight: number
    readonly jobTypes: readonly string[]
    readonly since?: string
    readonly lastSeenAt?: string
  }[]
  readonly polled: readonly { readonly jobType: string; readonly lastPolledAt: string }[]
}

export interface ScheduleRequest {
  /** Made by the engine when absent. */
  readonly id?: string
  /** Five fields: minute, hour, day, month, weekday. */
  readonly cron: string
  /** UTC */
  readonly timezone?: string
  /** Either this, or `jobType`. */
  readonly definitionId?: string
  readonly jobType?: string
  readonly input?: object
  readonly priority?: Priority
  readonly overlap?: "skip" | "queue" | "cancel"
  readonly catchUp?: "none" | "last" | "all"
  readonly enabled?: boolean
}

export interface Schedule extends ScheduleRequest {
  readonly id: string
  readonly timezone: string
  readonly enabled: boolean
  readonly lastFiredAt?: string
  readonly nextAt?: string
  /** The times after `nextAt`. */
  readonly upcoming: readonly string[]
  readonly changedAt: string
  readonly changedBy: string
}

export interface SchedulePage {
  readonly items: readonly Schedule[]
  readonly nextCursor?: string
}

export interface ScheduleRun {
  readonly dueAt: string
  readonly firedAt: string
  readonly cause: "cron" | "manual"
  readonly outcome: "started" | "skipped" | "queued" | "failed"
  /** The instance or the job. */
  readonly workId?: string
  readonly detail?: string
}

export interface ScheduleRunPage {
  readonly items: readonly ScheduleRun[]
  readonly nextCursor?: string
}
