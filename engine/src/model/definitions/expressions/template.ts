// The right-hand side of a transformation: a string that is wholly `${…}` is an expression, everything else is a literal.
import type { JsonObject, JsonValue } from "../../../support/json.ts"
import type { Expression } from "./ast.ts"
import { compileExpression } from "./compile-expression.ts"
import { type EvaluationContext, evaluate } from "./evaluate.ts"

export type Template =
  | { readonly kind: "literal"; readonly value: JsonValue }
  | { readonly kind: "expression"; readonly expression: Expression }

/** Throws ExpressionError. Text around a `${…}` makes the whole a literal: there is no interpolation to get wrong. */
export function compileTemplate(value: JsonValue): Template {
  if (typeof value !== "string" || !value.startsWith("${")) return { kind: "literal", value }
  const closing = closingBrace(value)
  // An opening that nothing closes is compiled too: the parser then says what is wrong with it.
  const isExpression = closing === undefined || closing === value.length - 1
  return isExpression ? { kind: "expression", expression: compileExpression(value) } : { kind: "literal", value }
}

export function evaluateTemplate(template: Template, variables: JsonObject, context: EvaluationContext): JsonValue {
  return template.kind === "literal" ? template.value : evaluate(template.expression, variables, context)
}

/** The index of the `}` that closes the `${` at the start; a brace inside quotes is text. */
function closingBrace(text: string): number | undefined {
  let open = 0
  let quote = ""
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (quote !== "") {
      if (char === "\\") at += 1
      else if (char === quote) quote = ""
    } else if (char === "'" || char === '"') quote = char
    else if (char === "{") open += 1
    else if (char === "}" && --open === 0) return at
  }
  return undefined
}
