// Why a run, an instance or a job is not moving: the reasons there are, and the facts that belong to each of them.
import type { Priority } from "../definitions/definition.ts"

/** Times are RFC 3339, as on the wire. */
interface Reason<Kind extends string, Facts> {
  readonly kind: Kind
  /** Absent for a standalone job, and for what concerns an instance as a whole. */
  readonly stepId?: string
  readonly since: string
  readonly detail: Facts
}

/** A run names the call or the element that it has come to; one of an older version of the engine may not. */
interface InRun {
  readonly step?: string
}

export type Waiting =
  | Reason<"sleep", InRun & { readonly dueAt: string }>
  /** Where it has `dueAt`, the wait times out then. */
  | Reason<
      "signal",
      InRun & { readonly signals: readonly string[]; readonly dueAt?: string; readonly refused?: string }
    >
  | Reason<"child", InRun & { readonly child: string; readonly childId?: string }>
  | Reason<"user-task", UserTaskFacts>
  | Reason<"retry", RetryFacts>
  | Reason<"returned", AttemptFacts & { readonly reason: string; readonly dueAt: string }>
  | Reason<"scheduled", { readonly jobType: string; readonly dueAt: string }>
  | Reason<"job-queued", QueueFacts>
  | Reason<"job-leased", AttemptFacts & { readonly workerId: string; readonly leasedUntil: string }>
  | Reason<"job-dispatched", DispatchFacts>
  | Reason<"paused", PauseFacts>
  | Reason<"pace", PaceFacts>
  | Reason<"limit", LimitFacts>
  | Reason<"timer", TimerFacts>
  | Reason<"set-aside", SetAsideFacts>

export type WaitingKind = Waiting["kind"]
export type WaitingOf<Kind extends WaitingKind> = Extract<Waiting, { readonly kind: Kind }>

interface AttemptFacts {
  readonly jobType: string
  /** The attempt number that the worker was given. Every claim of the job counts. */
  readonly attempt: number
}

interface DispatchFacts extends AttemptFacts {
  readonly topic: string
  /** Absent until Kafka has the message, and when its consumers have passed it. */
  readonly partition?: number
  readonly offset?: number
  readonly publishedAt?: string
  /** The consumers have passed the message; without a report by then it is dispatched again. */
  readonly leasedUntil?: string
}

interface RetryFacts extends AttemptFacts {
  /** Failures since it last got somewhere, of so many attempts that it has; absent where there is no end of them. */
  readonly failures?: number
  readonly maxAttempts?: number
  readonly reason: string
  readonly dueAt: string
}

interface UserTaskFacts {
  readonly task: string
  readonly assignee?: string
  readonly assigneeGroup?: string
  /** When the person is to have done it. */
  readonly dueAt?: string
}

interface QueueFacts {
  readonly jobType: string
  /** The workflow, if the job is the only job of a run of a list or a function. */
  readonly workflow?: string
  readonly priority: Priority
  /** How many of 100 claims its priority gets. */
  readonly share: number
  readonly position: number
  readonly fairKey?: string
  /** Absent where no worker has ever asked for jobs of its type. */
  readonly lastPolledAt?: string
}

interface PauseFacts {
  readonly paused: "queue" | "jobType" | "definition" | "downstream"
  readonly name: string
  readonly pausedBy: string
  readonly pausedAt: string
  readonly reason?: string
}

interface PaceFacts {
  readonly downstream: string
  readonly position: number
  readonly perSecond?: number
  readonly concurrency?: number
  readonly inFlight?: number
  readonly closedUntil?: string
  readonly expectedAt?: string
}

interface LimitFacts {
  readonly jobType: string
  readonly limitKey: string
  readonly max: number
  /** Jobs that have a place: with a worker, or ready for one. */
  readonly underWay: number
  /** The jobs under way that a worker has. */
  readonly running: number
  readonly priority: Priority
  /** Among those of its priority. */
  readonly position: number
  readonly lastPolledAt?: string
}

interface TimerFacts {
  /** `deadline`, `total`, `queue`, `duration`, or `boundary:` and a number. */
  readonly timer: string
  readonly dueAt: string
  /** For a boundary event: the step it leads to, and whether it interrupts the current step. */
  readonly targetStepId?: string
  readonly interrupting?: boolean
}

/** What the engine itself could not do for the instance, however often it tried. */
interface SetAsideFacts {
  readonly what: "timer" | "chain" | "request" | "schedule"
  readonly failures: number
  readonly reason: string
  /** Absent where it is not tried again by itself. */
  readonly dueAt?: string
}

/** What stands before a job is counted to here. */
export const COUNTED_TO = 1_000

/** A reason with its sentence, the same at every door. */
export type WaitingReason = Waiting & {
  readonly detail: { readonly message: string; readonly [fact: string]: unknown }
}
