// The database as far as one instance's plans touch it. Plans are written as `apply-plans` writes them with SQL, only less leniently.
import type { JsonObject } from "../../../support/json.ts"
import type { LiveJobStatus } from "../../jobs/job-machine.ts"
import { emptyState, type InstanceState } from "../instance.ts"
import type { InstanceStatus } from "../instance-machine.ts"
import { isTerminal } from "../instance-machine.ts"
import type {
  AuditEntry,
  ClosedStep,
  EndedAttempt,
  LeaseRecord,
  NextWorkflow,
  Plan,
  RequeuedJob,
  SpentRetry,
} from "../plan.ts"
import { bytesOf } from "../variable-sizes.ts"
import { must } from "./must.ts"

export interface InstanceRow {
  readonly status: InstanceStatus
  readonly version: number
  readonly state: InstanceState
  readonly variables: JsonObject
  readonly failureReason: string | undefined
}

export interface JobRow {
  readonly execution: number
  readonly stepId: string
  readonly status: LiveJobStatus
  readonly retriesLeft: number
  readonly lostLeases: number
  readonly runMs: number | null
  readonly epoch: number
  readonly nonce: string | null
  readonly workerId: string | null
  readonly seenVersion: number | null
  readonly leaseUntil: number | null
  readonly runUntil: number | null
  readonly visibleAt: number | null
}

export interface TimerRow {
  readonly execution: number
  readonly timer: string
  readonly dueAt: number
}

export interface UserTaskRow {
  readonly execution: number
  readonly stepId: string
  readonly status: "OPEN" | "COMPLETED" | "CANCELLED"
  readonly completedBy: string | undefined
}

export const timerKey = ({ execution, timer }: Pick<TimerRow, "execution" | "timer">): string => `${execution}/${timer}`

export class Tables {
  instance: InstanceRow
  readonly jobs = new Map<number, JobRow>()
  readonly timers = new Map<string, TimerRow>()
  /** How often the timers of each execution have fired. */
  readonly firings = new Map<string, number>()
  readonly userTasks = new Map<number, UserTaskRow>()
  readonly history = new Map<number, ClosedStep>()
  readonly attempts = new Map<string, EndedAttempt>()
  readonly audit: AuditEntry[] = []
  readonly chains: NextWorkflow[] = []
  /** The last delivery to this worker that was given up for lost and never reported on. */
  lostOf(execution: number, workerId: string): { readonly lease: LeaseRecord; readonly isLast: boolean } | undefined {
    const mine = [...this.attempts.values()]
      .filter((attempt) => attempt.execution === execution && attempt.lease.workerId === workerId)
      .sort((a, b) => b.lease.epoch - a.lease.epoch)
    const lost = mine.find(({ outcome }) => outcome === "lost")
    return lost && { lease: lost.lease, isLast: lost === mine[0] }
  }

  /** Plans written so far: what changes nothing leaves it alone. */
  writes = 0

  constructor(variables: JsonObject) {
    this.instance = {
      status: "ACTIVE",
      version: 0,
      state: { ...emptyState, bytes: bytesOf(variables) },
      variables,
      failureReason: undefined,
    }
  }

  write(plan: Plan, nowMs: number): void {
    this.writes += 1
    this.#writeInstance(plan)
    this.#writeHistory(plan)
    this.#writeJobs(plan, nowMs)
    this.#writeTimers(plan, nowMs)
    this.#writeUserTasks(plan)
    if (plan.next) this.chains.push(plan.next)
  }

  #writeInstance(plan: Plan): void {
    const { status, version, delta, finish } = plan
    must("S5", isTerminal(status) === (finish !== undefined), () => `status ${status} with finish ${finish?.status}`)
    must("S5", finish === undefined || finish.status === status, () => `${status} is stored as ${finish?.status}`)
    must(
      "S16",
      version - this.instance.version === plan.audit.length,
      () => "the version is not that of the audit trail",
    )
    const keepsState = !finish || status === "FAILED"
    this.instance = {
      status,
      version,
      state: keepsState ? frozen(JSON.parse(JSON.stringify(plan.state)) as InstanceState) : emptyState,
      variables: delta
        ? { ...this.instance.variables, ...(JSON.parse(JSON.stringify(delta)) as JsonObject) }
        : this.instance.variables,
      failureReason: finish?.reason,
    }
  }

  #writeHistory(plan: Plan): void {
    for (const step of plan.closedSteps) {
      must("C-57", !this.history.has(step.execution), () => `execution ${step.execution} is closed twice`)
      this.history.set(step.execution, step)
    }
    for (const attempt of plan.endedAttempts) {
      const key = `${attempt.execution}/${attempt.lease.epoch}`
      // A lease that was lost can still be reported on: the report is then what is known of the delivery.
      const before = this.attempts.get(key)
      must("S7", !before || before.outcome === "lost", () => `delivery ${key} ends twice`)
      this.attempts.set(key, attempt)
    }
    this.audit.push(...plan.audit)
  }

  #writeJobs(plan: Plan, nowMs: number): void {
    for (const execution of plan.endedJobs)
      must("C-59", this.jobs.delete(execution), () => `a job that is not there ends: ${execution}`)
    for (const requeued of plan.requeuedJobs) this.#requeue(requeued, nowMs)
    for (const spent of plan.spentRetries) this.#spend(spent)
    for (const { execution, stepId, retries, runMs } of plan.newJobs) {
      must("C-59", !this.jobs.has(execution), () => `execution ${execution} has two jobs`)
      const lease = { epoch: 0, nonce: null, workerId: null, seenVersion: null, leaseUntil: null, runUntil: null }
      const counts = { retriesLeft: retries, lostLeases: 0, runMs, visibleAt: null }
      this.jobs.set(execution, { execution, stepId, status: "ready", ...counts, ...lease })
    }
  }

  #requeue({ execution, delayMs, retriesLeft, lostLeases, keepsToken }: RequeuedJob, nowMs: number): void {
    const job = this.jobs.get(execution)
    must("C-59", job, () => `a job that is not there is queued again: ${execution}`)
    this.jobs.set(execution, {
      ...job,
      status: delayMs === 0 ? "ready" : "held",
      visibleAt: delayMs ? nowMs + delayMs : null,
      retriesLeft,
      lostLeases,
      nonce: keepsToken ? job.nonce : null,
      leaseUntil: null,
      runUntil: null,
    })
  }

  #spend({ execution, retriesLeft }: SpentRetry): void {
    const job = this.jobs.get(execution)
    must("W-03", job, () => `a retry is spent of a job that is not there: ${execution}`)
    this.jobs.set(execution, { ...job, retriesLeft })
  }

  #writeTimers(plan: Plan, nowMs: number): void {
    for (const fired of plan.firedTimers) {
      const key = timerKey(fired)
      const row = this.timers.get(key)
      must("S12", row && row.dueAt <= nowMs, () => `timer ${key} fires while it is not due`)
      this.timers.delete(key)
      this.firings.set(key, (this.firings.get(key) ?? 0) + 1)
    }
    const ended = new Set(plan.endedTimers)
    for (const [key, { execution }] of this.timers) if (ended.has(execution)) this.timers.delete(key)
    for (const { execution, timer, dueInMs } of plan.newTimers) {
      const row = { execution, timer, dueAt: nowMs + dueInMs }
      must("S12", !this.timers.has(timerKey(row)), () => `timer ${timerKey(row)} is there twice`)
      this.timers.set(timerKey(row), row)
    }
  }

  #writeUserTasks(plan: Plan): void {
    for (const { execution, status, completedBy } of plan.closedUserTasks) {
      const task = this.userTasks.get(execution)
      must("S14", task?.status === "OPEN", () => `user task ${execution} is closed while ${task?.status}`)
      this.userTasks.set(execution, { ...task, status, completedBy })
    }
    for (const { execution, stepId } of plan.newUserTasks) {
      must("S14", !this.userTasks.has(execution), () => `execution ${execution} has two user tasks`)
      this.userTasks.set(execution, { execution, stepId, status: "OPEN", completedBy: undefined })
    }
  }
}

/** A planner that changed what it was given would throw. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value
}
