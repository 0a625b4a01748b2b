// A definition from a file or the input, judged as the engine judges an upload, with the line of each fault.
import { text as readAll } from "node:stream/consumers"
import { isCollection, LineCounter, parseDocument } from "yaml"
import type { Definition } from "../../../model/definitions/definition.ts"
import { definitionWarnings } from "../../../model/definitions/definition-warnings.ts"
import { parseDefinition } from "../../../model/definitions/parse-definition.ts"
import { EngineError, type Violation } from "../../../support/errors.ts"
import { parseJson } from "../../../support/json-scan.ts"
import { readText } from "../../options/json-argument.ts"
import { jsonPlace } from "../../options/json-place.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"

export interface Fault extends Violation {
  readonly line: number
  readonly column: number
}

export interface CheckedFile {
  readonly file: string
  readonly definition?: Definition
  readonly violations: readonly Fault[]
  readonly warnings: readonly string[]
}

export const readDefinitionFile = (around: Pick<Surroundings, "input">, file: string): Promise<string> =>
  file === "-" ? readAll(around.input) : readText(file)

export function checkDefinitionText(file: string, text: string): CheckedFile {
  const syntax = jsonPlace(text)
  if (syntax) {
    const { line, column, message } = syntax
    return { file, violations: [{ path: "$", message: `it is not JSON: ${message}`, line, column }], warnings: [] }
  }
  const parsed = parseText(text)
  if ("definition" in parsed)
    return { file, definition: parsed.definition, violations: [], warnings: definitionWarnings(parsed.definition) }
  const place = placesIn(text)
  return { file, violations: parsed.violations.map((fault) => ({ ...fault, ...place(fault.path) })), warnings: [] }
}

/** The scan of a request's body refuses what no reader of JSON would: names given twice, or more levels than there may be. */
function parseText(text: string): ReturnType<typeof parseDefinition> {
  try {
    return parseDefinition(parseJson(text))
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return { violations: error.details ?? [{ path: "$", message: error.message }] }
  }
}

const PART = /\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+|"(?:[^"\\]|\\.)*")\]/g

const partsOf = (path: string): readonly (string | number)[] =>
  [...path.matchAll(PART)].map(([, name, index = ""]) => name ?? (JSON.parse(index) as string | number))

/** The place of a JSON path, or of what is nearest around it. JSON is YAML, whose parser keeps the places. */
function placesIn(text: string): (path: string) => { readonly line: number; readonly column: number } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false })
  return (path) => {
    let node: unknown = document.contents
    for (const part of partsOf(path)) {
      const inner = isCollection(node) ? node.get(part, true) : undefined
      if (inner === undefined) break
      node = inner
    }
    const { line, col } = lines.linePos((node as { range?: readonly number[] } | null)?.range?.[0] ?? 0)
    return { line, column: col }
  }
}
