// Refuses a field that the contract does not have, before anything is sent: the engine would ignore it.
import { BODY_SHAPES, QUERY_FIELDS, SHAPES } from "../generated/fields.ts"
import type { Operations } from "../generated/wire.ts"
import { closestName } from "./closest-name.ts"
import type { Given } from "./operations.ts"

/** A request has a field that the contract does not know; nothing was sent. */
export class UnknownFieldError extends TypeError {
  override name = "UnknownFieldError"
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

/** By the name of a field, the shape of what it holds; "" where that is not looked into. */
type Shape = Readonly<Record<string, string>>

export function refuseUnknownFields(operation: keyof Operations, { query, body }: Given): void {
  const queryFields = QUERY_FIELDS[operation]
  if (query && queryFields) for (const name of Object.keys(query)) refuseUnless(queryFields, name, operation)
  const shape = BODY_SHAPES[operation]
  if (body && shape !== undefined) walk(body, shape, operation)
}

/** For what is no body by itself: a shape of the contract by its name. */
export function refuseFieldsBeyond(shapeName: string, value: object, where: string): void {
  walk(value, shapeName, where)
}

/** Refuses unknown options by their names. */
export function refuseOptionsBeyond(known: Readonly<Record<string, true>>, value: object, where: string): void {
  const shape = Object.fromEntries(Object.keys(known).map((name) => [name, ""]))
  for (const name of Object.keys(value)) refuseUnless(shape, name, where)
}

function walk(value: unknown, shapeName: string, where: string): void {
  const shape = SHAPES[shapeName]
  if (!shape || typeof value !== "object" || value === null) return
  if (Array.isArray(value)) for (const item of value) walk(item, shapeName, where)
  else walkObject(value, shape, where)
}

function walkObject(value: object, shape: Shape, where: string): void {
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    refuseUnless(shape, name, where)
    const innerShape = shape[name]
    if (innerShape) walk(inner, innerShape, `${where}.${name}`)
  }
}

function refuseUnless(known: Shape, name: string, where: string): void {
  if (Object.hasOwn(known, name)) return
  const names = Object.keys(known)
  const meant = closestName(name, names)
  const advice = meant === undefined ? `known are ${names.join(", ")}` : `did you mean "${meant}"?`
  throw new UnknownFieldError(name, `${where} has no field "${name}": ${advice}`)
}
