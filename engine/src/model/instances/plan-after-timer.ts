// What a due timer does. A timer whose step is no longer open is simply consumed.
import { assert } from "../../support/assert.ts"
import { closeStep, type Draft, findOpen, record, withdrawWork } from "./draft.ts"
import { moveTokens } from "./enter-step.ts"
import { failInstance } from "./finish.ts"
import type { OpenStep } from "./instance.ts"
import { completeStep, failStep } from "./leave-step.ts"

export interface DueTimer {
  readonly execution: number
  /** boundary:<index>, duration, queue, total or deadline. */
  readonly timer: string
  /** Whether the step's job has ever been claimed; a queue timeout then means nothing. */
  readonly claimed: boolean
}

/** Once, also when the same timer comes twice in one draft. */
export function planTimer(draft: Draft, due: DueTimer): void {
  if (draft.firedTimers.some((fired) => fired.execution === due.execution && fired.timer === due.timer)) return
  draft.firedTimers.push({ execution: due.execution, timer: due.timer })
  if (due.timer === "deadline") return missDeadline(draft)
  const open = findOpen(draft, due.execution)
  if (!open) return
  if (due.timer === "duration") return endWait(draft, open)
  if (due.timer === "total") return timeOut(draft, open, "total")
  if (due.timer === "queue") return due.claimed ? undefined : timeOut(draft, open, "queue")
  fireBoundary(draft, open, Number(due.timer.slice("boundary:".length)))
}

/** Interrupting: the step fails and its token goes to the target. Otherwise a token of no fork starts beside it. */
function fireBoundary(draft: Draft, open: OpenStep, index: number): void {
  const event = draft.definition.boundaryTimer(draft.definition.step(open.stepId), index)
  assert(event, `boundary event ${index} of ${open.stepId} exists`)
  const { interrupting, targetStepId } = event
  record(draft, "TIMER_FIRED", "engine", { stepId: open.stepId, targetStepId, interrupting })
  if (interrupting) {
    closeStep(draft, open, { status: "FAILED", reason: "interrupted by boundary timer" })
    withdrawWork(draft, open)
  }
  moveTokens(draft, [{ stepId: targetStepId, fork: interrupting ? open.fork : 0 }])
}

/** The time that a WAIT names is over: it completes like one that was signalled, with nothing to merge. */
function endWait(draft: Draft, open: OpenStep): void {
  record(draft, "TIMER_FIRED", "engine", { stepId: open.stepId, duration: true })
  completeStep(draft, open, undefined)
}

const TIMEOUT_REASONS = {
  queue: (stepId: string) => `timeout.queue: no worker took the job of ${stepId} in time`,
  total: (stepId: string) => `timeout.total: ${stepId} took too long in all`,
}

function timeOut(draft: Draft, open: OpenStep, kind: "queue" | "total"): void {
  const reason = TIMEOUT_REASONS[kind](open.stepId)
  record(draft, "TIMER_FIRED", "engine", { stepId: open.stepId, timeout: kind })
  withdrawWork(draft, open)
  failStep(draft, open, reason)
}

/** The instance was given a time and it is over: every open step fails with it, and any of them can be retried by hand. */
function missDeadline(draft: Draft): void {
  const reason = `deadline: not finished within ${draft.definition.definition.deadline}`
  const open = draft.open
  record(draft, "TIMER_FIRED", "engine", { timeout: "deadline" })
  for (const step of open) {
    closeStep(draft, step, { status: "FAILED", reason })
    withdrawWork(draft, step)
  }
  failInstance(draft, reason, open)
}
