// Which conditions of a step could both hold: where they have no order, it is then not said which of them wins.
import type { BinaryOperator, Node } from "./expressions/ast.ts"
import { compileExpression } from "./expressions/compile-expression.ts"

/** A hundred conditions are compared in full. Of more than that it is not known, and so they may both hold. */
const MOST_COMPARISONS = 5_000

/** The first pair that is not known to exclude each other; undefined where each condition rules out all others. */
export function overlappingPair(conditions: readonly string[]): readonly [string, string] | undefined {
  const work = { left: MOST_COMPARISONS }
  const parsed = conditions.map((source) => ({ source, root: compileExpression(source).root }))
  for (const [at, one] of parsed.entries())
    for (let next = at + 1; next < parsed.length; next++) {
      const other = parsed[next]!
      if (!exclude(one.root, other.root, work)) return [one.source, other.source]
    }
  return undefined
}

/** Surely never true together. Where it is not sure, they may be. */
function exclude(one: Node, other: Node, work: { left: number }): boolean {
  if (isLogical(one, "||")) return exclude(one.left, other, work) && exclude(one.right, other, work)
  if (isLogical(other, "||")) return exclude(other, one, work)
  const parts = conjuncts(other)
  return conjuncts(one).some((a) => parts.some((b) => work.left-- > 0 && contradict(a, b)))
}

const isLogical = (node: Node, operator: "&&" | "||"): node is Extract<Node, { kind: "logical" }> =>
  node.kind === "logical" && node.operator === operator

const conjuncts = (node: Node): readonly Node[] =>
  isLogical(node, "&&") ? [...conjuncts(node.left), ...conjuncts(node.right)] : [node]

function contradict(a: Node, b: Node): boolean {
  if (isNegation(a, b) || isNegation(b, a)) return true
  const [one, other] = [comparisonOf(a), comparisonOf(b)]
  return one !== undefined && other !== undefined && one.subject === other.subject && !meet(one, other)
}

const isNegation = (a: Node, b: Node): boolean => a.kind === "not" && textOf(a.operand) === textOf(b)

const textOf = (node: Node): string => JSON.stringify(node)

/** Something compared with a constant, which stands to the right. */
interface Comparison {
  readonly subject: string
  readonly operator: BinaryOperator
  readonly value: null | boolean | number | string
}

const MIRRORED: Partial<Record<BinaryOperator, BinaryOperator>> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
}

function comparisonOf(node: Node): Comparison | undefined {
  if (node.kind === "variable") return { subject: textOf(node), operator: "==", value: true }
  if (node.kind === "not" && node.operand.kind === "variable")
    return { subject: textOf(node.operand), operator: "==", value: false }
  if (node.kind !== "binary" || MIRRORED[node.operator] === undefined) return undefined
  const { left, right, operator } = node
  if (right.kind === "literal") return { subject: textOf(left), operator, value: right.value }
  const mirrored = MIRRORED[operator]
  if (left.kind !== "literal" || mirrored === undefined) return undefined
  return { subject: textOf(right), operator: mirrored, value: left.value }
}

/** Whether one value can satisfy both. */
function meet(one: Comparison, other: Comparison): boolean {
  if (one.operator === "==") return satisfies(one.value, other)
  if (other.operator === "==") return satisfies(other.value, one)
  if (one.operator === "!=" || other.operator === "!=") return true
  const opens = (comparison: Comparison) => comparison.operator.startsWith(">")
  if (opens(one) === opens(other)) return typeof one.value === typeof other.value
  const [lower, upper] = opens(one) ? [one, other] : [other, one]
  // Touching ends meet only where both are included; between two numbers there is always another.
  const touches = lower.operator === ">=" && upper.operator === "<="
  return isBelow(lower.value, upper.value) || (touches && lower.value === upper.value)
}

function satisfies(value: Comparison["value"], { operator, value: bound }: Comparison): boolean {
  if (operator === "==") return value === bound
  if (operator === "!=") return value !== bound
  const isEqual = operator.endsWith("=") && value === bound
  return isEqual || (operator.startsWith(">") ? isBelow(bound, value) : isBelow(value, bound))
}

/** Numbers by size, strings by code unit; others cannot be compared. */
const isBelow = (a: Comparison["value"], b: Comparison["value"]): boolean =>
  ((typeof a === "number" && typeof b === "number") || (typeof a === "string" && typeof b === "string")) && a < b
