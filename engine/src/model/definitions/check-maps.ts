// The two maps of a step whose order counts: conditions, and assignments to variables.
import { assert } from "../../support/assert.ts"
import { isObject, type JsonValue } from "../../support/json.ts"
import { type Check, line, type Report, wrongKind } from "./checks.ts"
import { compileExpression } from "./expressions/compile-expression.ts"
import { ExpressionError } from "./expressions/expression-error.ts"
import { compileTemplate } from "./expressions/template.ts"
import { child } from "./json-path.ts"

// JavaScript moves such keys to the front of an object, so the order in the document would be lost.
const INTEGER_LIKE = /^(?:0|[1-9]\d*)$/
const EXPRESSION_HINT =
  "see the expression language: names, numbers, 'text', == != < <= > >= in && || ! + - * / ( ) len() now()"

export const conditions: Check = orderedMap((source, target, path, report) => {
  if (typeof target !== "string") wrongKind("the id of a step", target, path, report)
  reportUnlessCompiled(() => compileExpression(source), path, report)
})

const variableName = line({ min: 1, max: 200 })

export const assignments: Check = orderedMap((name, value, path, report) => {
  variableName(name, path, report)
  reportUnlessCompiled(() => compileTemplate(value as JsonValue), path, report)
})

type EntryCheck = (key: string, value: unknown, path: string, report: Report) => void

function orderedMap(checkEntry: EntryCheck): Check {
  return (value, path, report) => {
    if (!isObject(value)) return wrongKind("an object", value, path, report)
    const entries = Object.entries(value)
    if (entries.length === 0)
      report(path, "must have at least one entry", "add one, or leave out the field if it is optional")
    for (const [key, entry] of entries) {
      const at = child(path, key)
      if (INTEGER_LIKE.test(key)) report(at, "an integer as a key would lose its place in the order", "use another key")
      checkEntry(key, entry, at, report)
    }
  }
}

function reportUnlessCompiled(compile: () => unknown, path: string, report: Report): void {
  try {
    compile()
  } catch (error) {
    assert(error instanceof ExpressionError, `an expression is refused for a reason: ${error}`)
    report(path, `is not a valid expression: ${error.message}`, EXPRESSION_HINT)
  }
}
