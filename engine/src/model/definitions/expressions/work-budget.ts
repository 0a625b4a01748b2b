// Bounds the work of expressions: each has a budget of its own, and all that one plan evaluates share another.
import { LIMITS } from "./ast.ts"
import { ExpressionError } from "./expression-error.ts"

/** What a plan may still spend. A step of it takes well below a microsecond. */
export interface WorkBudget {
  left: number
  /** What to do when nothing is left, where that is not the fault of an expression. */
  onSpent?: () => never
}

export const newWorkBudget = (): WorkBudget => ({ left: LIMITS.planSteps })

export function spendWork(work: WorkBudget, steps: number): void {
  work.left -= steps
  if (work.left >= 0) return
  work.onSpent?.()
  throw new ExpressionError(
    `the expressions of one transaction take more than ${LIMITS.planSteps} steps: endless loop?`,
  )
}
