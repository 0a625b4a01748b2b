// The names that steps of a list had in earlier versions: what is on record under one of them is a record of the step.
import type { JsonObject } from "../../support/json.ts"
import type { Definition } from "../definitions/definition.ts"

/** By the id that the step has now. */
export function formerNames({ metadata }: Definition): ReadonlyMap<string, readonly string[]> {
  const elements = Array.isArray(metadata?.elements) ? (metadata.elements as readonly JsonObject[]) : []
  return new Map(elements.map(({ id, was }) => [String(id), Array.isArray(was) ? was.map(String) : []]))
}
