// A step ends and its token goes on: completed with a delta, or failed for good and caught by its error event or not.
import type { JsonObject } from "../../support/json.ts"
import { namingRetries } from "../jobs/after-attempt.ts"
import { closeStep, type Draft, mergeVariables, record } from "./draft.ts"
import { moveTokens } from "./enter-step.ts"
import { failInstance } from "./finish.ts"
import type { OpenStep } from "./instance.ts"
import type { ReportRecord } from "./plan.ts"
import { route } from "./route.ts"
import { growthFault } from "./variable-sizes.ts"

/** Merges, closes, moves on. A step whose conditions cannot be judged has failed: it can then be retried by hand. */
export function completeStep(draft: Draft, open: OpenStep, delta: JsonObject | undefined, report?: ReportRecord): void {
  mergeVariables(draft, delta)
  const routed = route(draft, draft.definition.step(open.stepId))
  if ("error" in routed) {
    leaveFailed(draft, open, { reason: routed.error, told: routed.error, delta, report })
  } else {
    closeStep(draft, open, { status: "COMPLETED", delta, ...(report ? { report } : {}) })
    moveTokens(draft, onward(open, routed.next))
  }
}

interface Failing {
  readonly report?: ReportRecord | undefined
  /** Retries that were spent before: the step's reason names them, the instance's is the error itself. */
  readonly retries?: number
}

/** For good: fails the instance, unless the step says where errors lead, or that they do not stop it. */
export function failStep(draft: Draft, open: OpenStep, reason: string, { report, retries = 0 }: Failing = {}): void {
  const step = draft.definition.step(open.stepId)
  const told = namingRetries(reason, retries)
  if (!("onError" in step) || step.onError !== "continue") return leaveFailed(draft, open, { reason, told, report })
  closeStep(draft, open, { status: "FAILED", reason: told, ...(report ? { report } : {}) })
  const routed = route(draft, step)
  if ("error" in routed) failInstance(draft, routed.error, [open])
  else moveTokens(draft, onward(open, routed.next))
}

interface Failed {
  readonly reason: string
  /** The reason as the history has it. */
  readonly told: string
  readonly delta?: JsonObject | undefined
  readonly report?: ReportRecord | undefined
}

/** The error event of the step takes the token over, with the error among the variables. Without one the instance fails. */
function leaveFailed(draft: Draft, open: OpenStep, { reason, told, delta, report }: Failed): void {
  const { stepId } = open
  const target = draft.definition.errorTarget(draft.definition.step(stepId))
  const error = target === undefined ? undefined : { error: { stepId, reason } }
  const fault = error && growthFault(draft, error)
  const caught = error && fault === undefined ? { ...delta, ...error } : delta
  if (caught !== delta) mergeVariables(draft, error)
  closeStep(draft, open, { status: "FAILED", reason: told, delta: caught, ...(report ? { report } : {}) })
  if (target === undefined) return failInstance(draft, reason, [open])
  if (fault !== undefined) return failInstance(draft, `the error of ${stepId} is too large: ${fault}`, [open])
  record(draft, "ERROR_CAUGHT", "engine", { stepId, targetStepId: target, reason })
  moveTokens(draft, onward(open, target))
}

const onward = (open: OpenStep, next: string | undefined) =>
  next === undefined ? [] : [{ stepId: next, fork: open.fork }]
