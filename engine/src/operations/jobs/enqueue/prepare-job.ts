// The first stage of an enqueue: fills in the defaults of the job's type and makes the row.
import { RETRY_PRESETS, retryPolicyOf } from "../../../model/jobs/standalone-job.ts"
import type { QueueKey } from "../../../store/flow/queues.ts"
import type { NewStandaloneJob } from "../../../store/jobs/enqueue.ts"
import { findWorkflow, notAJob } from "../../definitions/workflow-names.ts"
import { gatesOf } from "../../flow/gates.ts"
import { liveSettingsOf } from "../../flow/live-settings.ts"
import { queuesOf } from "../../flow/queue-registry.ts"
import { checkSize } from "../../kernel/check-size.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { type EnqueueRequest, type PreparedJob, refuseFull } from "./enqueue-request.ts"
import { digestOfSaid, saidOf } from "./repeated-key.ts"

type Prepared = readonly PreparedJob[]

/** All of them are judged before one is made. Only a queue or a name that is not known yet has to be waited for. */
export function prepareJobs(kernel: Kernel, given: readonly EnqueueRequest[]): Prepared | Promise<Prepared> {
  const judged = judgeJobs(kernel, given)
  return judged instanceof Promise
    ? judged.then((requests) => prepareJudged(kernel, requests))
    : prepareJudged(kernel, judged)
}

type Judged = readonly EnqueueRequest[]

/** Throws for the first that cannot be taken. Returns them with what their types have by default. */
export function judgeJobs(kernel: Kernel, given: readonly EnqueueRequest[]): Judged | Promise<Judged> {
  const requests = given.map((request) => judge(kernel, request))
  const unless = (workflow: string | undefined): Judged => {
    if (workflow !== undefined) throw notAJob(workflow)
    return requests
  }
  const workflow = findWorkflow(kernel, typesAskedFor(requests))
  return workflow instanceof Promise ? workflow.then(unless) : unless(workflow)
}

/** What a door asks for; a replay goes on with what there was. */
const typesAskedFor = (requests: readonly EnqueueRequest[]): string[] =>
  requests.filter(({ door, replayOf }) => door !== undefined && replayOf === undefined).map(({ jobType }) => jobType)

function prepareJudged(kernel: Kernel, requests: Judged): Prepared | Promise<Prepared> {
  const queues = queuesOf(kernel)
  const known = requests.map((request) => queues.numberOf(queueOf(request)))
  if (!known.includes(undefined)) return makeRows(kernel, requests, known as number[])
  const all = requests.map(queueOf)
  return queues.ensure(all).then(() =>
    makeRows(
      kernel,
      requests,
      all.map((queue) => queues.idOf(queue)),
    ),
  )
}

const queueOf = ({ priority = "normal", jobType, downstream = "", fairKey }: EnqueueRequest): QueueKey => ({
  priority,
  jobType,
  definitionId: "",
  downstream,
  isFair: fairKey !== undefined,
})

function makeRows(kernel: Kernel, requests: readonly EnqueueRequest[], queueIds: readonly number[]): Prepared {
  // The time first: an id is never older than its job.
  const createdAt = kernel.clock.nowMs()
  return requests.map((request, at) => ({
    request,
    row: rowOf(kernel, request, { queueId: queueIds[at] as number, createdAt }),
  }))
}

function judge(kernel: Kernel, given: EnqueueRequest): EnqueueRequest {
  const request = withDefaults(kernel, withText(kernel, given))
  // A request that would be refused costs no trip to the database.
  if (request.whenFull === "refuse" && !mayBeRepeat(request) && gatesOf(kernel).isShut(request.priority ?? "normal"))
    throw refuseFull(kernel, request.priority ?? "normal", request.door)
  return request
}

/** The payload as JSON text. A replay brings what was accepted before, however large. */
function withText({ settings }: Kernel, request: EnqueueRequest): EnqueueRequest {
  const { payload, replayOf, isAccepted } = request
  const text = textOf(payload)
  if (replayOf === undefined && !isAccepted) checkSize(settings, text, "the payload")
  return text === payload ? request : { ...request, payload: text }
}

const textOf = (payload: EnqueueRequest["payload"]): string =>
  typeof payload === "string" ? payload : JSON.stringify(payload)

/** What a job does not say for itself, the workers of its type have said for all. */
function withDefaults(kernel: Kernel, request: EnqueueRequest): EnqueueRequest {
  const defaults = liveSettingsOf(kernel).defaultsOf(request.jobType)
  if (!defaults) return request
  const { priority, retries, retry, downstream } = request
  return {
    ...request,
    said: request.said ?? saidOf(request),
    priority: priority ?? defaults.priority,
    downstream: downstream ?? defaults.downstream,
    // A spacing of its own has a number of its own.
    retries: retries ?? (retry === undefined ? defaults.retries : undefined),
    retry: retry ?? defaults.retry,
  }
}

/** It may be the repeat of one that was accepted before. */
const mayBeRepeat = ({ key, requestKey }: EnqueueRequest): boolean => key !== undefined || requestKey !== undefined

type Settled = Pick<NewStandaloneJob, "queueId" | "createdAt">

function rowOf(kernel: Kernel, request: EnqueueRequest, settled: Settled): NewStandaloneJob {
  const { priority = "normal", jobType, key } = request
  const policy = retryPolicyOf(request.retry ?? "jittered", request.retries ?? defaultRetries(kernel, request))
  const isDefault = policy.retries === RETRY_PRESETS.jittered.retries && (request.retry ?? "jittered") === "jittered"
  return {
    id: kernel.newId(),
    queueId: settled.queueId,
    createdAt: settled.createdAt,
    payload: textOf(request.payload),
    priority,
    jobType,
    retries: policy.retries,
    retry: isDefault ? null : JSON.stringify(policy),
    runMs: request.timeoutMs ?? null,
    typeRunMs: liveSettingsOf(kernel).timeoutMs(jobType) ?? kernel.settings.jobTimeoutMs,
    delayMs: notBeforeMs(request),
    fairKey: request.fairKey ?? null,
    limitKey: request.limit?.key ?? null,
    downstream: request.downstream ?? null,
    replayOf: request.replayOf ?? null,
    effectKey: request.effectKey ?? null,
    isGated: request.whenFull === "refuse",
    trace: request.trace,
    key,
    digest: key === undefined ? undefined : digestOfSaid(request),
  }
}

/** A debounced job waits for its window to pass in peace, and for its own delay where that is longer. */
const notBeforeMs = ({ delayMs = 0, unique }: EnqueueRequest): number =>
  unique?.mode === "debounce" ? Math.max(unique.forMs, delayMs) : delayMs

const defaultRetries = ({ settings }: Kernel, { retry }: EnqueueRequest): number | undefined =>
  retry === undefined ? settings.jobRetries : undefined
