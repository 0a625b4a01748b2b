// The library's door: what a caller in this process hands over is judged as what comes over REST.
import { PRIORITIES } from "../model/definition.ts"
import { badRequest } from "../support/errors.ts"
import { isObject, type JsonObject } from "../support/json.ts"
import { parseJson } from "../support/json-scan.ts"

/** A plain JSON object that PostgreSQL can hold; nothing is an empty one. */
export function checkVariables(value: unknown, name = "variables"): JsonObject {
  if (value === undefined || value === null) return {}
  if (!isObject(value))
    throw badRequest(`${name} must be an object, not ${Array.isArray(value) ? "an array" : typeof value}`)
  return parseJson(JSON.stringify(value)) as JsonObject
}

export function checkPriority(value: unknown): void {
  if (value !== undefined && !(PRIORITIES as readonly unknown[]).includes(value)) {
    throw badRequest(`priority must be one of ${PRIORITIES.join(", ")}`)
  }
}

export function checkText(value: unknown, name: string): void {
  if (typeof value !== "string" || value === "") throw badRequest(`${name} must be a text that is not empty`)
}

/** At least one function by job type. */
export function checkHandlers(value: unknown): void {
  const handlers = isObject(value) ? Object.entries(value) : []
  const wrong = handlers.find(([, handler]) => typeof handler !== "function")
  if (handlers.length === 0) throw badRequest("work needs handlers: { <job type>: <function> }")
  if (wrong) throw badRequest(`the handler of ${wrong[0]} must be a function`)
}
