// One text for all definitions that mean the same, so that an unchanged upload is recognised whatever the order of its keys.
import { isObject, type JsonObject, type JsonValue } from "../../support/json.ts"
import type { Definition, Step } from "./definition.ts"

// First true wins, and assignments are listed as written: in these two maps order is meaning.
const ORDERED = new Set(["conditionalNextSteps", "transformations"])

export function canonicalText(definition: Definition): string {
  const { steps, ...rest } = definition
  return objectText({ ...textsOf(said(rest)), steps: `[${steps.map(stepText).join(",")}]` })
}

function stepText(step: Step): string {
  const fields = said(step)
  const ordered = Object.entries(fields).filter(([key]) => ORDERED.has(key))
  return objectText({ ...textsOf(fields), ...Object.fromEntries(ordered.map(([key, map]) => [key, orderedText(map)])) })
}

/** A field that says nothing (false, 0, empty) means the same as none, and some wires cannot tell the two apart. */
function said(fields: object): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(fields).filter(([key, value]) => !saysNothing(key, value)))
}

const saysNothing = (key: string, value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (ORDERED.has(key) && isObject(value) && Object.keys(value).length === 0)

function valueText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(",")}]`
  return isObject(value) ? objectText(textsOf(value)) : JSON.stringify(value)
}

type Texts = Readonly<Record<string, string>>

/** Each field's value as text, unsorted. A field that is undefined is not there. */
function textsOf(value: object): Texts {
  const present = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(present.map(([key, inner]) => [key, valueText(inner)]))
}

function objectText(texts: Texts): string {
  const keys = Object.keys(texts).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${texts[key]}`).join(",")}}`
}

function orderedText(map: JsonValue): string {
  return `{${Object.entries(map as JsonObject)
    .map(([key, value]) => `${JSON.stringify(key)}:${valueText(value)}`)
    .join(",")}}`
}
