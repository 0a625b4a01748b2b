// A step ends and its token goes on: completed with a delta, or failed for good.
import type { JsonObject } from "../../support/json.ts"
import { namingRetries } from "../jobs/after-attempt.ts"
import { closeStep, type Draft, mergeVariables } from "./draft.ts"
import { moveTokens } from "./enter-step.ts"
import { failInstance } from "./finish.ts"
import type { OpenStep } from "./instance.ts"
import type { ReportRecord } from "./plan.ts"
import { route } from "./route.ts"

/** Merges, closes, moves on. A step whose conditions cannot be judged has failed: it can then be retried by hand. */
export function completeStep(draft: Draft, open: OpenStep, delta: JsonObject | undefined, report?: ReportRecord): void {
  mergeVariables(draft, delta)
  const routed = route(draft, draft.definition.step(open.stepId))
  if ("error" in routed) {
    closeStep(draft, open, { status: "FAILED", reason: routed.error, delta, ...(report ? { report } : {}) })
    failInstance(draft, routed.error, [open])
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

/** For good: fails the instance, unless the step says that errors do not stop it. */
export function failStep(draft: Draft, open: OpenStep, reason: string, { report, retries = 0 }: Failing = {}): void {
  const step = draft.definition.step(open.stepId)
  closeStep(draft, open, { status: "FAILED", reason: namingRetries(reason, retries), ...(report ? { report } : {}) })
  if (!("onError" in step) || step.onError !== "continue") return failInstance(draft, reason, [open])
  const routed = route(draft, step)
  if ("error" in routed) failInstance(draft, routed.error, [open])
  else moveTokens(draft, onward(open, routed.next))
}

const onward = (open: OpenStep, next: string | undefined) =>
  next === undefined ? [] : [{ stepId: next, fork: open.fork }]
