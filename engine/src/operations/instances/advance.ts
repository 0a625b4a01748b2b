// The hot path: lock the instances of a batch, let each event change its instance's draft, write all plans in one transaction.

import { ALONE, type Outcome, type Patience, type Verdict } from "../../db/batcher.ts"
import { hasSqlState, isAway, isContention } from "../../db/errors.ts"
import type { Transaction } from "../../db/transaction.ts"
import { type Draft, finishDraft, openDraft } from "../../model/instances/draft.ts"
import type { Instance, InstanceState } from "../../model/instances/instance.ts"
import { type LockedInstanceRow, listLiveIds, lockInstance, lockInstances } from "../../store/instances/instances.ts"
import { listDueAmong, type TimerKey } from "../../store/instances/timers.ts"
import { type JobKey, type LockedJobRow, listLiveJobs, lockJob, lockJobs } from "../../store/jobs/jobs.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import { LOST_TERM } from "../../store/upkeep/pulse.ts"
import { assert } from "../../support/assert.ts"
import { EngineError } from "../../support/errors.ts"
import type { JsonObject } from "../../support/json.ts"
import { definitionsOf } from "../definitions/definition-cache.ts"
import { batched } from "../kernel/batch.ts"
import type { Kernel } from "../kernel/kernel.ts"
import type { Guard } from "../kernel/loops.ts"
import { announce, ensureQueuesOf, type PlannedInstance, writeEffects, writeInstances } from "./apply-plans.ts"
import { planContext } from "./plan-context.ts"

/** One event for one instance. `decide` runs under the instance's lock: it plans, or throws a refusal before it touches the draft. */
export interface AdvanceItem<T> {
  readonly instanceId: string
  /** The step execution whose job, if it has one, the event is about. */
  readonly execution?: number
  /** The timer of that execution that is due. */
  readonly timer?: string
  readonly decide: (draft: Draft, facts: Facts) => T
  /** Roughly, in bytes: what the event brings along. */
  readonly size?: number
  /** The proof that a leader still leads, where the event is a leader's. */
  readonly guard?: Guard
}

/** What was read under the instance's lock. */
export interface Facts {
  readonly job: LockedJobRow | undefined
  /** Whether the timer is still there and due by the database's clock. */
  readonly timerIsDue: boolean
}

/** The instance is not among the unfinished ones: finished, or unknown. */
export const NOT_LIVE = Symbol("not live")
export type NotLive = typeof NOT_LIVE

export async function advance<T>(kernel: Kernel, item: AdvanceItem<T>): Promise<T | NotLive> {
  try {
    return (await advances(kernel).submit(item)) as T | NotLive
  } catch (error) {
    throw isContention(error) ? heldTooLong(item.instanceId, error) : error
  }
}

interface Locked {
  readonly instances: readonly LockedInstanceRow[]
  readonly jobs: ReadonlyMap<string, LockedJobRow>
  readonly timers: ReadonlySet<string>
  /** Instances that must go alone: held by another transaction, or one of several events failed in the middle of the draft. */
  readonly apart: Set<string>
}

/** Locked in id order without waiting; an instance that is held elsewhere leaves the batch. */
async function advanceBatch(
  kernel: Kernel,
  items: readonly AdvanceItem<unknown>[],
  patience: Patience,
): Promise<readonly Verdict<unknown>[]> {
  kernel.metrics.batchSize.observe({ operation: "advance" }, items.length)
  const done = kernel.metrics.transactionDuration.startTimer({ tx_type: "advance" })
  const verdicts = await kernel.db.transaction(async (tx) => {
    await proveTerms(tx, items)
    return advanceAll(kernel, tx, items, patience.isAlone ? lockWaiting : lockBatch)
  }, patience)
  done()
  return verdicts
}

/** A leader proves its term once for all of its items. */
const proveTerms = (tx: Transaction, items: readonly AdvanceItem<unknown>[]): Promise<unknown> =>
  Promise.all([...new Set(items.map(({ guard }) => guard))].map((guard) => guard?.(tx)))

/** For the loops: each item has an outcome of its own. Throws when the whole round is lost: the database is away, or the lead is. */
export async function advanceEach(
  kernel: Kernel,
  items: readonly AdvanceItem<unknown>[],
  guard: Guard,
): Promise<readonly Outcome<unknown>[]> {
  const batcher = ledAdvances(kernel)
  const settled = await Promise.allSettled(items.map((item) => batcher.submit({ ...item, guard })))
  return settled.map((one) => {
    if (one.status === "fulfilled") return { value: one.value }
    if (isAway(one.reason) || hasSqlState(one.reason, LOST_TERM)) throw one.reason
    return { error: one.reason }
  })
}

/** Within a transaction of the caller's, waiting for the instance. */
export async function advanceWithin<T>(kernel: Kernel, tx: Transaction, item: AdvanceItem<T>): Promise<T | NotLive> {
  const waited = kernel.metrics.lockWait.startTimer({ operation: "advance" })
  const [verdict] = await advanceAll(kernel, tx, [item], async (...held) => {
    const locked = await lockWaiting(...held)
    waited()
    return locked
  })
  assert(verdict !== undefined && verdict !== ALONE, "an event alone has an outcome")
  if ("error" in verdict) throw verdict.error
  return verdict.value as T | NotLive
}

type Lock = (tx: Transaction, items: readonly AdvanceItem<unknown>[]) => Promise<Locked>

async function advanceAll(
  kernel: Kernel,
  tx: Transaction,
  items: readonly AdvanceItem<unknown>[],
  lock: Lock,
): Promise<readonly Verdict<unknown>[]> {
  const outcomes = new Map<AdvanceItem<unknown>, Outcome<unknown>>()
  const locked = await lock(tx, items)
  const planned = await planAndWrite(kernel, tx, items, locked, outcomes)
  tx.afterCommit(() => announce(kernel, planned))
  return items.map((item) => (locked.apart.has(item.instanceId) ? ALONE : (outcomes.get(item) ?? { value: NOT_LIVE })))
}

const heldTooLong = (id: string, cause: unknown) =>
  new EngineError("unavailable", `instance ${id} is held by another transaction; try again`, {
    retryAfterSeconds: 1,
    cause,
  })

async function lockBatch(tx: Transaction, items: readonly AdvanceItem<unknown>[]): Promise<Locked> {
  const ids = [...new Set(items.map((item) => item.instanceId))].sort()
  const [instances, work] = await Promise.all([lockInstances(tx, ids), readWork(tx, items, lockJobs)])
  return { instances, ...work, apart: await listHeld(tx, items, ids, instances, work.jobs) }
}

/** What is live but was not to be had: an instance that another transaction holds, or a job that is just being claimed. */
async function listHeld(
  tx: Transaction,
  items: readonly AdvanceItem<unknown>[],
  ids: readonly string[],
  instances: readonly LockedInstanceRow[],
  jobs: Locked["jobs"],
): Promise<Set<string>> {
  const mine = new Set(instances.map((row) => row.id))
  const missing = ids.filter((id) => !mine.has(id))
  const jobless = jobsOf(items).filter((job) => mine.has(job.instanceId) && !jobs.has(jobName(job)))
  const [heldIds, heldJobs] = await Promise.all([
    missing.length > 0 ? listLiveIds(tx, missing) : [],
    jobless.length > 0 ? listLiveJobs(tx, jobless) : [],
  ])
  return new Set([...heldIds, ...heldJobs.map((job) => job.instanceId)])
}

/** One event: waits for the transaction that holds its instance, as long as it may. */
async function lockWaiting(tx: Transaction, items: readonly AdvanceItem<unknown>[]): Promise<Locked> {
  const [item] = items as [AdvanceItem<unknown>]
  const timeout = setLockTimeout(tx)
  const waiting = (_: Transaction, [job]: readonly JobKey[]) => lockJob(tx, job as JobKey)
  const [, instances, work] = await Promise.all([
    timeout,
    lockInstance(tx, item.instanceId),
    readWork(tx, [item], waiting),
  ])
  return { instances, ...work, apart: new Set() }
}

type LockJobs = (tx: Transaction, jobs: readonly JobKey[]) => Promise<LockedJobRow[]>

/** After the instances: every writer of jobs and timers but claims and heartbeats holds the instance, and claims and heartbeats wait for no lock. */
async function readWork(
  tx: Transaction,
  items: readonly AdvanceItem<unknown>[],
  lock: LockJobs,
): Promise<Pick<Locked, "jobs" | "timers">> {
  const jobs = jobsOf(items)
  const timers: TimerKey[] = []
  for (const { instanceId, execution, timer } of items) {
    if (execution !== undefined && timer !== undefined) timers.push({ instanceId, execution, timer })
  }
  const [jobRows, due] = await Promise.all([
    jobs.length > 0 ? lock(tx, jobs) : [],
    timers.length > 0 ? listDueAmong(tx, timers) : [],
  ])
  return {
    jobs: new Map(jobRows.map((row) => [`${row.instance_id}/${row.execution}`, row])),
    timers: new Set(due.map(timerName)),
  }
}

function jobsOf(items: readonly AdvanceItem<unknown>[]): JobKey[] {
  const jobs: JobKey[] = []
  for (const { instanceId, execution } of items) if (execution !== undefined) jobs.push({ instanceId, execution })
  return jobs
}

const jobName = ({ instanceId, execution }: JobKey): string => `${instanceId}/${execution}`

const timerName = ({ instanceId, execution, timer }: TimerKey): string => `${instanceId}/${execution}/${timer}`

async function planAndWrite(
  kernel: Kernel,
  tx: Transaction,
  items: readonly AdvanceItem<unknown>[],
  locked: Locked,
  outcomes: Map<AdvanceItem<unknown>, Outcome<unknown>>,
): Promise<PlannedInstance[]> {
  const byInstance = groupByInstance(items)
  const planned: PlannedInstance[] = []
  for (const row of locked.instances) {
    if (locked.apart.has(row.id)) continue
    const plan = await planInstance(kernel, row, byInstance.get(row.id) ?? [], locked, outcomes)
    if (plan) planned.push(plan)
  }
  await ensureQueuesOf(kernel, planned)
  writeInstances(tx, planned)
  writeEffects(kernel, tx, planned)
  return planned
}

function groupByInstance(items: readonly AdvanceItem<unknown>[]): Map<string, AdvanceItem<unknown>[]> {
  const groups = new Map<string, AdvanceItem<unknown>[]>()
  for (const item of items) {
    const group = groups.get(item.instanceId)
    if (group) group.push(item)
    else groups.set(item.instanceId, [item])
  }
  return groups
}

async function planInstance(
  kernel: Kernel,
  row: LockedInstanceRow,
  items: readonly AdvanceItem<unknown>[],
  locked: Locked,
  outcomes: Map<AdvanceItem<unknown>, Outcome<unknown>>,
): Promise<PlannedInstance | undefined> {
  const definition =
    definitionsOf(kernel).cached(row.definition_id, row.definition_version) ??
    (await definitionsOf(kernel).version(row.definition_id, row.definition_version))
  assert(definition, `definition ${row.definition_id}@${row.definition_version} is stored`)
  kernel.clock.observe(row.now)
  const nowMs = Math.floor(row.now)
  const draft = openDraft(definition, toInstance(row), planContext(kernel, nowMs))
  for (const item of items) {
    const outcome = decide(item, draft, factsOf(item, locked))
    outcomes.set(item, outcome)
    // A fault of ours in the middle of a draft: nothing of this instance is written, its neighbours are. Events before the
    // faulty one have been told that they were accepted, so all of them are tried again.
    if ("error" in outcome && !(outcome.error instanceof EngineError)) {
      if (items.length > 1) locked.apart.add(row.id)
      return undefined
    }
  }
  if (draft.version === row.version && draft.firedTimers.length === 0) return undefined
  const { businessKey, priority } = draft.instance
  return { id: row.id, definition, businessKey, priority, version: row.version, plan: finishDraft(draft), nowMs }
}

function factsOf({ instanceId, execution, timer }: AdvanceItem<unknown>, { jobs, timers }: Locked): Facts {
  if (execution === undefined) return { job: undefined, timerIsDue: false }
  const timerIsDue = timer !== undefined && timers.has(timerName({ instanceId, execution, timer }))
  return { job: jobs.get(`${instanceId}/${execution}`), timerIsDue }
}

function decide(item: AdvanceItem<unknown>, draft: Draft, facts: Facts): Outcome<unknown> {
  try {
    if (draft.finish) return { value: NOT_LIVE }
    return { value: item.decide(draft, facts) }
  } catch (error) {
    return { error }
  }
}

function toInstance(row: LockedInstanceRow): Instance {
  return {
    id: row.id,
    status: row.status,
    priority: row.priority,
    businessKey: row.business_key ?? undefined,
    state: JSON.parse(row.state) as InstanceState,
    variables: row.variables === null ? {} : (JSON.parse(row.variables) as JsonObject),
    version: row.version,
  }
}

const byInstance = {
  run: advanceBatch,
  flights: 2,
  keyOf: ({ instanceId }: AdvanceItem<unknown>) => instanceId,
  sizeOf: ({ size }: AdvanceItem<unknown>) => size ?? 0,
}

const advances = batched<AdvanceItem<unknown>, unknown>(byInstance)
/** Apart from requests: a lead that is lost fails the batch as a whole. */
const ledAdvances = batched<AdvanceItem<unknown>, unknown>({
  ...byInstance,
  splits: (error) => !hasSqlState(error, LOST_TERM),
})
