// Where the jobs of a runner come from, and who is told what became of them.
import type { Job, ReportOutcome } from "../client/job-types.ts"
import type { Ask } from "./report/report-lane.ts"
import type { RunnerSettings } from "./runner-options.ts"
import type { Slots } from "./slots.ts"

/**
 * How a job that was taken ended:
 * - what the engine answered to its report;
 * - `dropped`: its report cannot be delivered, or the engine will never take it;
 * - `lost`: the engine says that it belongs to another, so there is nothing to report;
 * - `unfinished`: neither the handler nor the engine said how it ended.
 */
export type Ending = ReportOutcome | "dropped" | "lost" | "unfinished"

export interface Intake {
  /** Loads what it needs; rejects where it can never work. */
  prepare?(): Promise<void>
  /** Takes jobs until no more are wanted. */
  run(): Promise<void>
  /** Something changed that may have freed places. */
  wake(): void
  /** A question for more jobs that may ride along with reports. */
  ask?(): Ask | undefined
  /** Called once for each time that a job was taken. */
  ended?(job: Job, how: Ending): void
  /** Nothing more is handled or reported. */
  close?(): Promise<void>
}

/** What a runner lends to its intake. */
export interface IntakeTools {
  readonly settings: RunnerSettings
  readonly slots: Slots
  /** Aborts when no more jobs are wanted. */
  readonly draining: AbortSignal
  /** Aborts when nothing more is delivered. */
  readonly over: AbortSignal
  /** Reports that no request carries yet. */
  readonly reportsWaiting: () => number
  /** Runs jobs that were asked for at `askedAt`; their places are free for it. */
  readonly take: (jobs: readonly Job[], askedAt: number) => void
  /** Tells the handler of a job to stop. */
  readonly tellToStop: (job: Job, reason: Error) => void
  /** Places or reports changed. */
  readonly wake: () => void
}
