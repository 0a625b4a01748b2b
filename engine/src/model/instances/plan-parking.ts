// A run of a step list that waits gives its worker back: for a time, for a signal, or for a person.
import { type Draft, isDecided, record } from "./draft.ts"
import { openUserTask } from "./enter-step.ts"
import { settle, skipAll } from "./finish.ts"
import type { NewUserTask, RunStep } from "./plan.ts"
import { endedAttempt, type JobFacts, openOf, policyOf } from "./plan-after-job.ts"

export interface Parking {
  /** What it has come to; nothing when a worker merely leaves the run to another. */
  readonly waits: readonly ParkedWait[]
  /** Tasks it no longer waits for, by name: completed, or not in time. */
  readonly over?: readonly string[] | undefined
  /** Null: until a signal comes. */
  readonly delayMs: number | null
  /** For people who wonder why it does not move. */
  readonly reason?: string | undefined
  /** The step that was tried, where the attempt broke off in it for no fault of its own. */
  readonly step?: string | undefined
}

export interface ParkedWait {
  readonly step: RunStep
  /** The signal that ends it. */
  readonly waitsFor?: string | undefined
  /** Opened when the run comes to it first. */
  readonly task?: Omit<NewUserTask, "execution" | "stepId"> | undefined
}

/** No attempt and no failure: the run has come to a step that waits, and holds no worker meanwhile. */
export function planJobParked(draft: Draft, job: JobFacts, parking: Parking, actor: string): void {
  if (isDecided(draft, job.execution)) return
  const open = openOf(draft, job)
  const { waits, over = [], delayMs, reason, step: tried } = parking
  const waitsFor = waits.flatMap((wait) => wait.waitsFor ?? [])
  // A run that has come to a wait has got somewhere: what it met before is not held against it for the rest of its life.
  const counts = waits.length > 0 ? { retriesLeft: policyOf(draft, open).retry.retries, lostLeases: 0 } : {}
  const how = { delayMs, keepsToken: false, waitsFor, ...(reason ? { reason } : {}) }
  const { execution, retriesLeft, lostLeases } = job
  draft.requeuedJobs.push({ execution, retriesLeft, lostLeases, ...counts, ...how })
  skipAll(
    draft,
    draft.open.filter((other) => other !== open && over.includes(other.stepId)),
  )
  for (const { step, task } of waits) {
    draft.runSteps.push(step)
    if (task && !draft.open.some((other) => other.stepId === step.name)) openUserTask(draft, step.name, task)
  }
  settle(draft)
  if (waitsFor.length > 0) draft.status = "WAITING"
  const at = waits.map(({ step }) => step.name)
  draft.endedAttempts.push({ ...endedAttempt(job, "parked", reason ?? `waits at ${at.join(", ")}`), step: tried })
  record(draft, "JOB_PARKED", actor, { stepId: open.stepId, at, ...(reason ? { reason } : {}) })
}
