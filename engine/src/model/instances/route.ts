// Where a token goes after its step: the first condition that is true, else nextStep, else nowhere.
import { assert } from "../../support/assert.ts"
import type { Step } from "../definitions/definition.ts"
import { evaluate } from "../definitions/expressions/evaluate.ts"
import { ExpressionError } from "../definitions/expressions/expression-error.ts"
import type { Draft } from "./draft.ts"
import { PlanAgain } from "./plan-again.ts"

export type Route = { readonly next: string | undefined } | { readonly error: string }

/** In document order, first true wins; anything but a boolean is an error, never false. */
export function route(draft: Draft, step: Step): Route {
  const { work } = draft
  const { nowMs } = draft.context
  try {
    for (const { source, expression, target } of draft.definition.branches(step)) {
      const value = evaluate(expression, draft.variables, { nowMs, work })
      if (typeof value !== "boolean") return { error: `${step.id}: condition \`${source}\` is not a boolean` }
      if (value) return { next: target }
    }
  } catch (error) {
    if (error instanceof PlanAgain) throw error
    assert(error instanceof ExpressionError, `an evaluation ends for a reason: ${error}`)
    return { error: `${step.id}: ${error.message}` }
  }
  if (step.type === "DECISION") return { error: `DecisionNoBranchMatched: no condition of ${step.id} is true` }
  return { next: "nextStep" in step ? step.nextStep : undefined }
}
