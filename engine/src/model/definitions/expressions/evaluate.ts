// Evaluates a compiled expression over an instance's variables: a pure function of its arguments, within a step budget.
import { assert, unreachable } from "../../../support/assert.ts"
import type { JsonObject, JsonValue } from "../../../support/json.ts"
import type { Expression, LogicalOperator, Node } from "./ast.ts"
import { LIMITS } from "./ast.ts"
import type { Spend } from "./deep-equal.ts"
import { ExpressionError } from "./expression-error.ts"
import { kindOf } from "./kind-of.ts"
import { applyBinary, lengthOf, negate } from "./operators.ts"
import { newWorkBudget, spendWork, type WorkBudget } from "./work-budget.ts"

export interface EvaluationContext {
  /** What `now()` gives: the time of the plan, as epoch milliseconds. */
  readonly nowMs: number
  /** The budget of the plan that this evaluation is part of. */
  readonly work?: WorkBudget
}

interface Run extends EvaluationContext {
  readonly variables: JsonObject
  readonly spend: Spend
}

// One step pays for this many characters of text work, so that long strings cannot stretch a budget of 10,000 steps.
const CHARACTERS_PER_STEP = 256

export function evaluate(expression: Expression, variables: JsonObject, context: EvaluationContext): JsonValue {
  const { nowMs, work = newWorkBudget() } = context
  assert(Number.isFinite(nowMs), "the time of a plan is a number")
  return visit(expression.root, { variables, nowMs, spend: newBudget(work) })
}

/** For decisions: anything but true or false is an error. */
export function evaluateCondition(expression: Expression, variables: JsonObject, context: EvaluationContext): boolean {
  const value = evaluate(expression, variables, context)
  if (typeof value === "boolean") return value
  throw new ExpressionError(`the condition \`${expression.source}\` gives ${kindOf(value)}, not true or false`)
}

function newBudget(work: WorkBudget): Spend {
  let left = LIMITS.steps
  const spend = (steps: number): void => {
    left -= steps
    if (left < 0) throw new ExpressionError(`the evaluation takes more than ${LIMITS.steps} steps`)
    spendWork(work, steps)
  }
  return Object.assign(spend, { text: (length: number) => spend(Math.floor(length / CHARACTERS_PER_STEP)) })
}

function visit(node: Node, run: Run): JsonValue {
  run.spend(1)
  switch (node.kind) {
    case "literal":
      return node.value
    case "variable":
      return lookUp(node.path, run.variables)
    case "not":
      return !truth("!", node.operand, run)
    case "negate":
      return negate(visit(node.operand, run))
    case "logical":
      return decide(node.operator, node.left, node.right, run)
    case "binary":
      return applyBinary(node.operator, visit(node.left, run), visit(node.right, run), run.spend)
    case "len":
      return lengthOf(visit(node.operand, run), run.spend)
    case "now":
      return new Date(run.nowMs).toISOString()
    /* v8 ignore next 2 -- the compiler knows that there is no other kind */
    default:
      return unreachable(node)
  }
}

function decide(operator: LogicalOperator, left: Node, right: Node, run: Run): boolean {
  const first = truth(operator, left, run)
  const isDecided = operator === "&&" ? !first : first
  return isDecided ? first : truth(operator, right, run)
}

function truth(operator: LogicalOperator | "!", operand: Node, run: Run): boolean {
  const value = visit(operand, run)
  if (typeof value !== "boolean") throw new ExpressionError(`\`${operator}\` needs true or false, not ${kindOf(value)}`)
  return value
}

function lookUp(path: readonly string[], variables: JsonObject): JsonValue {
  let value: JsonValue | undefined = variables
  for (const [index, name] of path.entries()) {
    value = ownValue(value, name)
    if (value === undefined) throw new ExpressionError(`unknown variable \`${path.slice(0, index + 1).join(".")}\``)
  }
  return value
}

/** Own data properties of plain objects only: what a value inherits, and what an array or a string has, is out of reach. */
function ownValue(holder: JsonValue, name: string): JsonValue | undefined {
  if (typeof holder !== "object" || holder === null || Array.isArray(holder)) return undefined
  const prototype: unknown = Object.getPrototypeOf(holder)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  return Object.getOwnPropertyDescriptor(holder, name)?.value as JsonValue | undefined
}
