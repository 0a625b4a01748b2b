// The settings of a runner, their defaults and bounds.

import { type Clock, monotonicClock } from "../calls/clock.ts"
import { defaultLogger, type Logger, safeLogger } from "../calls/logger.ts"
import type { EngineClient } from "../client/engine-client.ts"
import type { Job } from "../client/job-types.ts"
import { isGrpc } from "../client/urls.ts"
import type { AnyHandler, Handlers, UntypedJobs } from "./handlers.ts"
import { SdkMetrics } from "./metrics.ts"
import type { PollPace } from "./poll-lane.ts"
import { HandlerRegistry } from "./registry.ts"

/** A registry of any job types. */
export interface HandlerSource {
  jobTypes(): readonly string[]
  find(jobType: string): AnyHandler | undefined
}

/**
 * - `exchange`: ended jobs are reported in batches, and the same round trip asks for more;
 * - `poll`: every ended job is reported by itself;
 * - `stream`: the engine pushes jobs as they come, and ended jobs are reported in batches; over gRPC alone.
 */
export type WorkerMode = "poll" | "exchange" | "stream"

/** `run` is the handler; what it throws is the job's failure, as without. */
export type AroundJob = (job: Job, run: () => Promise<unknown>) => Promise<unknown>

/** What ends a worker, beside its `stop`. */
export interface StopOptions {
  /** Aborting it stops the runner. */
  readonly signal?: AbortSignal | undefined
  /** Process signals that stop the runner, such as `["SIGINT", "SIGTERM"]`; default none. */
  readonly stopOn?: readonly NodeJS.Signals[] | undefined
}

/** What a worker handles, and how it asks for jobs. */
export interface RunnerOptions extends StopOptions {
  readonly client: EngineClient
  /** A `HandlerRegistry`, what `defineHandlers` gives, or a plain object of handlers. */
  readonly handlers: HandlerSource | Handlers<UntypedJobs>
  /** Names this worker in leases and audit; one per process. */
  readonly workerId: string
  /** Handlers that may run at once; default 64. */
  readonly concurrency?: number | undefined
  /** How jobs come and reports go; default `exchange`. */
  readonly mode?: WorkerMode | undefined
  /** The pace of polls. Default: long polls of 20 s. `{ pollIntervalMs: 500 }` polls at a fixed interval while there is no work. */
  readonly polling?: PollPace | undefined
  /** 5–3600, default 30; extended by heartbeats while a handler runs. */
  readonly leaseSeconds?: number | undefined
  /** `thread` sends heartbeats from a thread of their own: a handler that blocks the event loop keeps its lease. */
  readonly heartbeats?: "inline" | "thread" | undefined
  readonly logger?: Logger | undefined
  readonly metrics?: SdkMetrics | undefined
  /** Runs every handler: calls `run` once and gives back what that gives. For tracers, which put a span around it. */
  readonly aroundJob?: AroundJob | undefined
  /** How long a stop waits for running handlers; default 30 000. */
  readonly stopTimeoutMs?: number | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface RunnerSettings {
  readonly client: EngineClient
  readonly handlers: HandlerSource
  readonly workerId: string
  readonly concurrency: number
  readonly mode: WorkerMode
  readonly pace: PollPace
  /** Reports are sent until the engine has answered: otherwise they end with the lease, as the job comes back then. */
  readonly keepsReports: boolean
  readonly leaseSeconds: number
  /** Handlers are told to stop this long before the lease may end. */
  readonly marginMs: number
  readonly heartbeats: "inline" | "thread"
  /** Never throws. */
  readonly logger: Logger
  /** The logger that was passed in, for handlers. */
  readonly givenLogger: Logger
  readonly metrics: SdkMetrics
  readonly aroundJob: AroundJob | undefined
  readonly stopTimeoutMs: number
  readonly clock: Clock
}

const LONG_POLLS: PollPace = { waitSeconds: 20 }

export function readOptions(options: RunnerOptions): RunnerSettings {
  if (!options.workerId?.trim()) throw new TypeError("a runner needs a workerId")
  const leaseSeconds = within(5, options.leaseSeconds ?? 30, 3600, "leaseSeconds")
  const givenLogger = options.logger ?? defaultLogger
  return {
    client: options.client,
    handlers: asSource(options.handlers),
    workerId: options.workerId,
    concurrency: within(1, options.concurrency ?? 64, 10_000, "concurrency"),
    mode: readMode(options),
    pace: readPace(options.polling ?? LONG_POLLS, leaseSeconds),
    keepsReports: false,
    leaseSeconds,
    marginMs: leaseSeconds * 100,
    heartbeats: options.heartbeats ?? "inline",
    logger: safeLogger(givenLogger),
    givenLogger,
    metrics: options.metrics ?? new SdkMetrics(),
    aroundJob: options.aroundJob,
    stopTimeoutMs: options.stopTimeoutMs ?? 30_000,
    clock: options.clock ?? monotonicClock,
  }
}

function readMode({ mode = "exchange", client }: RunnerOptions): WorkerMode {
  if (!MODES.has(mode)) throw new TypeError(`mode must be one of ${[...MODES].join(", ")}, got "${mode}"`)
  if (mode === "stream" && ![client.options.url].flat().every(isGrpc))
    throw new TypeError('the mode "stream" is in the gRPC contract alone: give the EngineClient a grpc:// url')
  return mode
}

const MODES: ReadonlySet<WorkerMode> = new Set(["poll", "exchange", "stream"])

/** A job may have been claimed at any moment of the wait, so a wait must leave a good part of the lease. */
function readPace(pace: PollPace, leaseSeconds: number): PollPace {
  if ("pollIntervalMs" in pace) return { pollIntervalMs: within(1, pace.pollIntervalMs, 3_600_000, "pollIntervalMs") }
  const longest = Math.floor((leaseSeconds * 2) / 3)
  return { waitSeconds: Math.min(within(1, pace.waitSeconds, 30, "waitSeconds"), longest) }
}

function asSource(handlers: RunnerOptions["handlers"]): HandlerSource {
  if (isSource(handlers)) return handlers
  const registry = new HandlerRegistry()
  for (const [jobType, handler] of Object.entries(handlers)) registry.register(jobType, handler)
  return registry
}

/** By its two methods: it may be an object literal. */
const isSource = (handlers: RunnerOptions["handlers"]): handlers is HandlerSource =>
  typeof handlers.find === "function" && typeof handlers.jobTypes === "function"

function within(least: number, value: number, most: number, name: string): number {
  if (!(value >= least && value <= most)) throw new RangeError(`${name} must be ${least} to ${most}, got ${value}`)
  return value
}
