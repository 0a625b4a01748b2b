// A standalone job on its way in: what was asked for, the row it becomes, and what its caller is told.

import type { Priority } from "../../../model/definitions/definition.ts"
import { RETRY_PRESETS, type RetryChoice, retryPolicyOf } from "../../../model/jobs/standalone-job.ts"
import type { RequestKey } from "../../../store/instances/keys.ts"
import type { NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import type { NewLimit } from "../../../store/jobs/standalone-jobs.ts"
import { EngineError } from "../../../support/errors.ts"
import type { JsonObject } from "../../../support/json.ts"
import { gatesOf } from "../../flow/gates.ts"
import { liveSettingsOf } from "../../flow/live-settings.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import { digestOf, type Replay } from "../../kernel/idempotency.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import type { JobView } from "../job-view.ts"

export interface UniqueChoice {
  readonly key: string
  readonly forMs: number
  /** A second job in the window is refused, or its payload replaces that of the first, which waits for the window to pass. */
  readonly mode: "refuse" | "debounce"
}

export interface EnqueueRequest {
  readonly jobType: string
  /** Or its JSON text, which is stored as it is: whoever gives it has judged it. */
  readonly payload: JsonObject | string
  readonly priority?: Priority | undefined
  /** One job per type and key, for as long as the job's record is kept. */
  readonly key?: string | undefined
  readonly delayMs?: number | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  readonly retry?: RetryChoice | undefined
  readonly fairKey?: string | undefined
  readonly limit?: { readonly key: string; readonly max: number } | undefined
  readonly unique?: UniqueChoice | undefined
  readonly downstream?: string | undefined
  readonly replayOf?: string | undefined
  readonly whenFull: "refuse" | "absorb"
  readonly actor: string
  readonly requestKey?: RequestKey | undefined
  /** Roughly, in bytes. */
  readonly size?: number
  /** Where it is asked for: carried to the worker. */
  readonly trace?: string | undefined
}

export interface Enqueued {
  readonly job: JobView
  /** There was one with this key already. */
  readonly isRepeat: boolean
  /** The answer of an earlier request with the same Idempotency-Key, as first given. */
  readonly replay?: Replay
}

export interface EnqueueItem {
  readonly request: EnqueueRequest
  readonly row: NewStandaloneJob
}

export async function prepareJob(kernel: Kernel, given: EnqueueRequest): Promise<EnqueueItem> {
  const request = withDefaults(kernel, given)
  const { priority = "normal", jobType, downstream = "", fairKey } = request
  // A request that would be refused costs no trip to the database.
  if (request.whenFull === "refuse" && !hasKey(request) && gatesOf(kernel).isShut(priority))
    throw isFull(kernel, priority)
  const queue = { priority, jobType, definitionId: "", downstream, isFair: fairKey !== undefined }
  if (!queuesOf(kernel).knows(queue)) await queuesOf(kernel).ensure([queue])
  return { request, row: rowOf(kernel, request, queuesOf(kernel).idOf(queue)) }
}

/** Of those that are taken. */
export const limitsOf = (items: readonly EnqueueItem[]): NewLimit[] =>
  items.flatMap(({ request: { limit, replayOf } }) => (limit ? [{ ...limit, keeps: replayOf !== undefined }] : []))

/** What a job does not say for itself, the workers of its type have said for all. */
function withDefaults(kernel: Kernel, request: EnqueueRequest): EnqueueRequest {
  const defaults = liveSettingsOf(kernel).defaultsOf(request.jobType)
  if (!defaults) return request
  const { priority, retries, retry, downstream } = request
  return {
    ...request,
    priority: priority ?? defaults.priority,
    downstream: downstream ?? defaults.downstream,
    // A spacing of its own has a number of its own.
    retries: retries ?? (retry === undefined ? defaults.retries : undefined),
    retry: retry ?? defaults.retry,
  }
}

/** It may be the repeat of one that was accepted before. */
const hasKey = ({ key, requestKey }: EnqueueRequest): boolean => key !== undefined || requestKey !== undefined

function rowOf(kernel: Kernel, request: EnqueueRequest, queueId: number): NewStandaloneJob {
  const { priority = "normal", jobType, payload, key, unique } = request
  const policy = retryPolicyOf(request.retry ?? "jittered", request.retries ?? defaultRetries(kernel, request))
  const isDefault = policy.retries === RETRY_PRESETS.jittered.retries && (request.retry ?? "jittered") === "jittered"
  return {
    id: kernel.newId(),
    queueId,
    priority,
    jobType,
    payload: typeof payload === "string" ? payload : JSON.stringify(payload),
    retries: policy.retries,
    retry: isDefault ? null : JSON.stringify(policy),
    runMs: request.timeoutMs ?? null,
    createdAt: kernel.clock.nowMs(),
    typeRunMs: liveSettingsOf(kernel).timeoutMs(jobType) ?? kernel.settings.jobTimeoutMs,
    delayMs: unique?.mode === "debounce" ? unique.forMs : (request.delayMs ?? 0),
    fairKey: request.fairKey ?? null,
    limitKey: request.limit?.key ?? null,
    downstream: request.downstream ?? null,
    replayOf: request.replayOf ?? null,
    isGated: request.whenFull === "refuse",
    trace: request.trace,
    key,
    digest: key === undefined ? undefined : digestOf(identityOf(request)),
  }
}

const defaultRetries = ({ settings }: Kernel, { retry }: EnqueueRequest): number | undefined =>
  retry === undefined ? settings.jobRetries : undefined

/** What two requests with one key must have in common. */
function identityOf({
  jobType,
  payload,
  priority = "normal",
  delayMs,
  timeoutMs,
  retries,
  retry,
  fairKey,
  limit,
  downstream,
}: EnqueueRequest) {
  const content = typeof payload === "string" ? JSON.parse(payload) : payload
  return { jobType, content, priority, delayMs, timeoutMs, retries, retry, fairKey, limit, downstream }
}

export function isFull(kernel: Kernel, priority: Priority): EngineError {
  kernel.metrics.backpressureRejections.inc()
  const retryAfterSeconds = kernel.settings.backpressureRetryAfterSeconds
  return new EngineError("backpressure", `the ${priority} queue is full: nothing was stored, try again later`, {
    retryAfterSeconds,
  })
}

export const accepted = (item: EnqueueItem): Enqueued => ({ job: viewOf(item), isRepeat: false })

/** As it is when it has just come in. */
const viewOf = ({ row }: EnqueueItem): JobView => ({
  id: row.id,
  type: row.jobType,
  status: "PENDING",
  priority: row.priority,
  payload: row.payload,
  result: null,
  retryCount: 0,
  error: null,
  createdAt: row.createdAt,
  updatedAt: row.createdAt,
  visibleAt: row.delayMs > 0 ? row.createdAt + row.delayMs : undefined,
  replayOf: row.replayOf ?? undefined,
})
