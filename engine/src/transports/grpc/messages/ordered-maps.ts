// Conditions and transformations, whose order counts: as a list that keeps it, beside the map that existing clients know.
import type { ConditionalNextStep, NamedTransformation } from "@millrace/sdk/proto"
import { badRequest } from "../../../support/errors.ts"
import type { JsonObject, JsonValue } from "../../../support/json.ts"

type Entry = readonly [name: string, value: unknown]

export const conditionEntry = ({ condition, nextStep }: ConditionalNextStep): Entry => [condition, nextStep]
export const transformationEntry = ({ name, value }: NamedTransformation): Entry => [name, value ?? null]

interface Given {
  readonly map: Readonly<Record<string, unknown>>
  readonly ordered: readonly Entry[]
  readonly path: string
}

/** In the order of the list; a map alone has none, and is sorted, so that the same upload is the same version. Undefined without either. */
export function orderedObject({ map, ordered, path }: Given): JsonObject | undefined {
  const names = Object.keys(map).sort()
  if (ordered.length === 0) return names.length === 0 ? undefined : objectOf(names.map((name) => [name, map[name]]))
  checkNames(ordered, path)
  if (names.length > 0 && !agree(map, ordered)) throw disagreement(path)
  return objectOf(ordered)
}

/** Defined and not set: a name such as __proto__ is then refused like in any other document. */
function objectOf(entries: readonly Entry[]): JsonObject {
  const object: Record<string, JsonValue> = {}
  for (const [name, value] of entries)
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  return object
}

function checkNames(entries: readonly Entry[], path: string): void {
  const seen = new Set<string>()
  for (const [name] of entries) {
    if (seen.has(name)) throw violation(path, "has an entry twice", `keep one of ${JSON.stringify(name.slice(0, 100))}`)
    seen.add(name)
  }
}

const agree = (map: Readonly<Record<string, unknown>>, ordered: readonly Entry[]): boolean =>
  Object.keys(map).length === ordered.length &&
  ordered.every(([name, value]) => Object.hasOwn(map, name) && JSON.stringify(map[name]) === JSON.stringify(value))

const disagreement = (path: string) =>
  violation(path, "differs between the map and the ordered list", "send the list alone, or the same entries in both")

function violation(path: string, message: string, hint: string) {
  return badRequest(`${path} ${message}`, [{ path, message, hint }])
}
