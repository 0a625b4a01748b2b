// Locks the instances of a batch, with the jobs and timers that its events are about.
import type { Transaction } from "../../db/transaction.ts"
import { type LostLeaseRow, listLostLeases } from "../../store/instances/history.ts"
import {
  type LockedInstanceRow,
  listLiveIds,
  lockInstance,
  lockInstances as lockRows,
} from "../../store/instances/instances.ts"
import { listDueAmong, type TimerKey } from "../../store/instances/timers.ts"
import { type LockedJobRow, listLiveJobs, lockFreeJobs, lockJobs } from "../../store/jobs/jobs.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import type { ExecutionKey } from "../../support/ids.ts"
import type { StepKey } from "../../support/job-key.ts"
import type { AdvanceItem, Facts } from "./advance-item.ts"

export interface Locked {
  readonly instances: readonly LockedInstanceRow[]
  readonly jobs: ReadonlyMap<string, LockedJobRow>
  readonly timers: ReadonlySet<string>
  /** The lost lease of each job and worker. */
  readonly lost: ReadonlyMap<string, LostLeaseRow>
  /** Instances that must go alone: held by another transaction, or one of several events failed in the middle of the draft. */
  readonly apart: Set<string>
}

type Items = readonly AdvanceItem<unknown>[]

/** Locks in id order and without waiting. Rows that another transaction holds are distinguished from instances that are not live. */
export async function lockBatch(tx: Transaction, items: Items): Promise<Locked> {
  const ids = [...new Set(items.map((item) => item.instanceId))].sort()
  const [instances, work] = await Promise.all([lockRows(tx, ids), readWork(tx, items, lockFreeJobs)])
  const mine = new Set(instances.map((row) => row.id))
  const missing = ids.filter((id) => !mine.has(id))
  const jobless = jobsOf(items).filter((job) => mine.has(job.instanceId) && !work.jobs.has(jobName(job)))
  return { instances, ...work, apart: await listHeld(tx, missing, jobless) }
}

/** Which of the rows that could not be locked still exist: another transaction holds the instance, or is claiming the job. */
async function listHeld(tx: Transaction, ids: readonly string[], jobs: readonly ExecutionKey[]): Promise<Set<string>> {
  const [heldIds, heldJobs] = await Promise.all([
    ids.length > 0 ? listLiveIds(tx, ids) : [],
    jobs.length > 0 ? listLiveJobs(tx, jobs) : [],
  ])
  return new Set([...heldIds, ...heldJobs.map((job) => job.instanceId)])
}

/** One event: waits for the transaction that holds its instance, as long as it may. */
export async function lockWaiting(tx: Transaction, items: Items): Promise<Locked> {
  const [{ instanceId }] = items as [AdvanceItem<unknown>]
  const [, instances, work] = await Promise.all([
    setLockTimeout(tx),
    lockInstance(tx, instanceId),
    readWork(tx, items, lockJobs),
  ])
  return { instances, ...work, apart: new Set() }
}

type LockJobs = (tx: Transaction, jobs: readonly StepKey[]) => Promise<LockedJobRow[]>

/** After the instances: every other writer of jobs and timers holds the instance, except claims, which skip locked rows, and heartbeats, which wait at most a second. */
async function readWork(
  tx: Transaction,
  items: Items,
  lock: LockJobs,
): Promise<Pick<Locked, "jobs" | "timers" | "lost">> {
  const jobs = jobsOf(items)
  const timers: TimerKey[] = []
  for (const { instanceId, execution, timer } of items) {
    if (execution !== undefined && timer !== undefined) timers.push({ instanceId, execution, timer })
  }
  const former = items.flatMap(({ instanceId, execution, formerly }) =>
    execution !== undefined && formerly !== undefined ? [{ instanceId, execution, workerId: formerly }] : [],
  )
  const [jobRows, due, lost] = await Promise.all([
    jobs.length > 0 ? lock(tx, jobs) : [],
    timers.length > 0 ? listDueAmong(tx, timers) : [],
    former.length > 0 ? listLostLeases(tx, former) : [],
  ])
  return {
    jobs: new Map(jobRows.map((row) => [`${row.instance_id}/${row.execution}`, row])),
    timers: new Set(due.map(timerName)),
    lost: new Map(lost.map((row) => [`${row.instance_id}/${row.execution}/${row.worker_id}`, row])),
  }
}

function jobsOf(items: Items): StepKey[] {
  const jobs: StepKey[] = []
  for (const { instanceId, execution } of items)
    if (execution !== undefined) jobs.push({ kind: "step", instanceId, execution })
  return jobs
}

const jobName = ({ instanceId, execution }: ExecutionKey): string => `${instanceId}/${execution}`

const timerName = ({ instanceId, execution, timer }: TimerKey): string => `${instanceId}/${execution}/${timer}`

export function factsOf(item: AdvanceItem<unknown>, { jobs, timers, lost }: Locked): Facts {
  const { instanceId, execution, timer, formerly } = item
  if (execution === undefined) return { job: undefined, timerIsDue: false }
  const timerIsDue = timer !== undefined && timers.has(timerName({ instanceId, execution, timer }))
  const name = jobName({ instanceId, execution })
  return { job: jobs.get(name), timerIsDue, lost: formerly === undefined ? undefined : lost.get(`${name}/${formerly}`) }
}
