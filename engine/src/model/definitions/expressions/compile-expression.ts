// Compiles an expression once and remembers it: the same few hundred sources are asked for at every upload and restart.
import type { Expression } from "./ast.ts"
import { parseExpression } from "./parse-expression.ts"

const CACHED = 256
// A Map keeps insertion order, so its first key is the one used longest ago.
const cache = new Map<string, Expression>()

/** Throws ExpressionError. */
export function compileExpression(source: string): Expression {
  const expression = cache.get(source) ?? parseExpression(source)
  cache.delete(source)
  cache.set(source, expression)
  if (cache.size > CACHED) cache.delete(cache.keys().next().value as string)
  return expression
}
