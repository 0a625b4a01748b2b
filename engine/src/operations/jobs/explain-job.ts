// Gathers the facts of live jobs that say why each of them is not moving.
import type { CompiledDefinition } from "../../model/definitions/compile-definition.ts"
import { KAFKA_WORKER } from "../../model/jobs/reports.ts"
import type { CompiledRetryPolicy } from "../../model/jobs/retry-delay.ts"
import { RETRY_PRESETS } from "../../model/jobs/standalone-job.ts"
import { COUNTED_TO, type Waiting } from "../../model/observability/waiting.ts"
import { type JobFacts, whyJobWaits } from "../../model/observability/why-job-waits.ts"
import type { RunWait } from "../../model/observability/why-run-waits.ts"
import { listParkedWaits, listWaitingJobs, type WaitingJobRow } from "../../store/jobs/waiting-jobs.ts"
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
  const [pace, waits] = await Promise.all([paceOf(kernel, row), waitsOf(kernel, id, row)])
  return {
    ...leaseAndTimesOf(row),
    ...endOf(row),
    dispatch: dispatchOfRow(row),
    stepId: row.definition_id === "" ? undefined : row.step_id,
    retries: retriesOf(row, definition),
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
  retriesLeft: row.retries_left,
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

const limitOf = ({ limit_key: key, limit_max: max, under_way: underWay }: WaitingJobRow) =>
  key === null ? undefined : { key, max: max ?? 1, underWay }

/** As many as a definition can say stand for no end of them. */
const UNLIMITED = 10_000

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
  return waits.map(({ name, value, started_at: since }) => {
    const { until = null, signal } = JSON.parse(value) as Partial<Pick<RunWait, "until" | "signal">>
    return { name, since, until, signal }
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
