// The fields that a user task is completed with: those of its form, or else those that its result is held against.
import { propertiesOf, requiredOf } from "./field-kind.ts"
import type { JsonSchema } from "./json-schema.ts"

interface Asked {
  readonly form?: JsonSchema
  readonly outputSchema?: JsonSchema
}

/** A name that is required and not described may have any value. */
export function taskForm({ form, outputSchema = {} }: Asked): JsonSchema {
  if (form) return form
  const required = requiredOf(outputSchema).map((name) => [name, {}])
  return { ...outputSchema, properties: { ...Object.fromEntries(required), ...propertiesOf(outputSchema) } }
}
