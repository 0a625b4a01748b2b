// Gathers the facts of live jobs that say why each of them is not moving.
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { ownRetries } from "../../model/definitions/own-retries.ts"
import { KAFKA_WORKER } from "../../model/jobs/reports.ts"
import type { CompiledRetryPolicy } from "../../model/jobs/retry-delay.ts"
import { RETRY_PRESETS } from "../../model/jobs/standalone-job.ts"
import { triesOnRecord } from "../../model/jobs/step-attempts.ts"
import { COUNTED_TO, type Waiting } from "../../model/observability/waiting.ts"
import { type JobFacts, whyJobWaits } from "../../model/observability/why-job-waits.ts"
import type { RunWait } from "../../model/observability/why-run-waits.ts"
import { listParkedWaits, listWaitingJobs, type WaitingJobRow } from "../../store/jobs/waiting-jobs.ts"
import { countStepAttempts } from "../../store/runs/run-steps.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { type DownstreamView, findDownstream } from "../flow/change-downstreams.ts"
import { liveSettingsOf } from "../flow/live-settings.ts"
import type { Kernel } from "../kernel/kernel.ts"

export interface ExplainedJobs {
  /** The instance, or the standalone job. */
  readonly id: string
  /** All of them when it is absent. */
  readonly execution?: number
  /** Undefined for a job that stands alone. */
  readonly definition?: CompiledDefinition | undefined
}

export async function explainJobs(kernel: Kernel, { id, execution, definition }: ExplainedJobs): Promise<Waiting[]> {
  const rows = await listWaitingJobs(kernel.db, id, COUNTED_TO)
  const wanted = execution === undefined ? rows : rows.filter((row) => row.execution === execution)
  const facts = await Promise.all(wanted.map((row) => factsOf(kernel, id, row, definition)))
  return facts.flatMap((job) => whyJobWaits(job, kernel.clock.nowMs()))
}

async function factsOf(
  kernel: Kernel,
  id: string,
  row: WaitingJobRow,
  definition: CompiledDefinition | undefined,
): Promise<JobFacts> {
  const [pace, waits, budget] = await Promise.all([
    paceOf(kernel, row),
    waitsOf(kernel, id, row),
    budgetOf(kernel, { id, row, definition }),
  ])
  return {
    ...leaseAndTimesOf(row),
    ...endOf(row),
    dispatch: dispatchOfRow(row),
    stepId: row.definition_id === "" ? undefined : row.step_id,
    workflow: definition?.isList ? definition.id : undefined,
    ...budget,
    waits,
    limit: limitOf(row),
    ahead: row.ahead,
    queue: queueOf(kernel, row),
    pause: liveSettingsOf(kernel).pauseOfQueue(queueKeyOf(row)),
    pace,
  }
}

const leaseAndTimesOf = (row: WaitingJobRow) => ({
  jobType: row.job_type,
  status: row.status,
  createdAt: row.created_at,
  epoch: row.epoch,
  workerId: row.worker_id,
  leaseUntil: row.lease_until,
  visibleAt: row.visible_at,
  waitsFor: row.waits_for === null ? [] : row.waits_for.split("\n"),
  heldReason: row.held_reason,
})

const endOf = ({ end_outcome: outcome, end_error: error, ended_at: endedAt }: WaitingJobRow) => ({
  lastEnd: outcome === null ? undefined : { outcome, error: error ?? "", endedAt: endedAt ?? 0 },
})

const dispatchOfRow = ({ worker_id, dedup_id, partition, log_offset, published_at }: WaitingJobRow) =>
  worker_id === KAFKA_WORKER
    ? { isWaiting: dedup_id !== null, partition, offset: log_offset, publishedAt: published_at }
    : undefined

const queueKeyOf = ({ priority, job_type: jobType, definition_id: definitionId, downstream }: WaitingJobRow) => ({
  priority,
  jobType,
  definitionId,
  downstream,
})

const queueOf = (kernel: Kernel, { priority, fair_key: fairKey, polled_at: polledAt }: WaitingJobRow) => ({
  priority,
  share: liveSettingsOf(kernel).weights[priority],
  fairKey,
  polledAt,
})

const limitOf = ({ limit_key: key, limit_max: max, under_way: underWay, running }: WaitingJobRow) =>
  key === null ? undefined : { key, max: max ?? 1, underWay, running }

/** The largest number of retries that a definition can hold. It means no limit. */
const UNLIMITED = 10_000

interface JobOf<Of> {
  /** The instance, or the standalone job. */
  readonly id: string
  readonly row: WaitingJobRow
  readonly definition: Of
}

type Budget = Pick<JobFacts, "retries" | "retriesLeft">

/** The retries of the step that failed, if it has its own; otherwise those of the job. */
async function budgetOf(
  kernel: Kernel,
  { id, row, definition }: JobOf<CompiledDefinition | undefined>,
): Promise<Budget> {
  const mayHaveOwn = row.end_step !== null && definition?.isList
  const own = mayHaveOwn ? await ownBudgetOf(kernel, { id, row, definition }) : undefined
  return own ?? { retries: retriesOf(row, definition), retriesLeft: row.retries_left }
}

async function ownBudgetOf(
  kernel: Kernel,
  { id, row, definition: started }: JobOf<CompiledDefinition>,
): Promise<Budget | undefined> {
  // A function says it in code alone: none of the run's retries is spent then.
  if (started.isFunction)
    return retriesOf(row, started) === row.retries_left ? { retries: undefined, retriesLeft: 0 } : undefined
  // A run goes by the list that its workers have now.
  const definition = (await definitionsOf(kernel).latest(started.id)) ?? started
  const own = ownRetries(definition, row.end_step as string)
  if (own === undefined) return undefined
  if (own.retries === "unlimited") return { retries: undefined, retriesLeft: 0 }
  const ended = await countStepAttempts(kernel.db, { instanceId: id, execution: row.execution })
  const { failures } = triesOnRecord(own.names, ended, { isFirst: false })
  return { retries: own.retries, retriesLeft: Math.max(0, own.retries - failures) }
}

function retriesOf(row: WaitingJobRow, definition: CompiledDefinition | undefined): number | undefined {
  const { retries } = policyOf(row, definition) ?? { retries: UNLIMITED }
  return retries >= UNLIMITED ? undefined : retries
}

function policyOf({ definition_id, step_id, retry }: WaitingJobRow, definition: CompiledDefinition | undefined) {
  if (definition_id !== "") return definition?.retryPolicy(definition.step(step_id))
  return retry === null ? RETRY_PRESETS.jittered : (JSON.parse(retry) as CompiledRetryPolicy)
}

/** Only a run that has given its worker back has come to anything. */
async function waitsOf(kernel: Kernel, id: string, row: WaitingJobRow): Promise<readonly RunWait[]> {
  if (row.status !== "held" || row.end_outcome !== "parked") return []
  const waits = await listParkedWaits(kernel.db, id, row.execution)
  return waits.map(({ name, value, error, started_at: since }) => {
    const { until = null, signal } = JSON.parse(value) as Partial<Pick<RunWait, "until" | "signal">>
    return { name, since, until, signal, ...(error === null ? {} : { refused: error }) }
  })
}

async function paceOf(kernel: Kernel, row: WaitingJobRow): Promise<JobFacts["pace"]> {
  if (row.status !== "ready" || row.downstream === "") return undefined
  const limits = await findDownstream(kernel, row.downstream)
  return limits && isPaced(limits) ? paceFacts(row, limits) : undefined
}

const isPaced = ({ effectivePerSecond, concurrency, closedUntil }: DownstreamView): boolean =>
  effectivePerSecond !== undefined || concurrency !== undefined || closedUntil !== undefined

function paceFacts({ downstream, ahead_at_downstream: ahead }: WaitingJobRow, limits: DownstreamView) {
  const { effectivePerSecond: perSecond, concurrency, inFlight, closedUntil } = limits
  return {
    downstream,
    position: ahead + 1,
    inFlight,
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(closedUntil === undefined ? {} : { closedUntil }),
  }
}
