// The closed tree an expression is parsed into. Evaluation is a switch over these kinds and nothing else.

/** `in` is written both `element in collection` and `contains(collection, element)`. */
export type BinaryOperator = "==" | "!=" | ">" | ">=" | "<" | "<=" | "in" | "+" | "-" | "*" | "/"
export type LogicalOperator = "&&" | "||"

export type Node =
  | { readonly kind: "literal"; readonly value: null | boolean | number | string }
  | { readonly kind: "variable"; readonly path: readonly string[] }
  | { readonly kind: "not"; readonly operand: Node }
  | { readonly kind: "negate"; readonly operand: Node }
  | { readonly kind: "logical"; readonly operator: LogicalOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: "binary"; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: "len"; readonly operand: Node }
  | { readonly kind: "now" }

export interface Expression {
  readonly source: string
  readonly root: Node
  /** False when the value depends on no variable, so that an instance's variables need not be loaded for it. */
  readonly readsVariables: boolean
}

/** Depth counts nesting (parentheses, `${`, calls, `!`, `-`); a flat chain such as `a || b || c` is bounded by the nodes alone. */
export const LIMITS = { sourceBytes: 2048, nodes: 200, depth: 32, steps: 10_000, planSteps: 500_000 } as const
