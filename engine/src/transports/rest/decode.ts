// Decodes a request: every violation of it is told at once, in one bad-request.
import { badRequest, type Violation } from "../../support/errors.ts"
import { isObject, type JsonObject } from "../../support/json.ts"
import { Fields } from "./fields.ts"
import type { Call } from "./route.ts"

interface Sources {
  readonly body: Fields
  readonly query: Fields
}

export function decode<T>(call: Pick<Call, "body" | "query">, read: (from: Sources) => T): T {
  const violations: Violation[] = []
  const value = read({
    body: new Fields(objectOf(call.body), "$", violations),
    query: new Fields(call.query, "query", violations, true),
  })
  if (violations.length > 0) refuse(violations)
  return value
}

/** The body as a map; a request without a body is one with an empty map. */
export function objectOf(body: Call["body"]): JsonObject {
  if (body === undefined || body === null) return {}
  if (isObject(body)) return body as JsonObject
  return notAnObject()
}

export const notAnObject = (): never =>
  refuse([{ path: "$", message: "the body must be a JSON object", hint: "wrap it in { }" }])

function refuse(violations: readonly Violation[]): never {
  const [first] = violations
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : ""
  throw badRequest(`${first?.path} ${first?.message}${more}`, violations)
}

const MAX_INT = 2_147_483_647

export const readPage = (query: Fields) => ({
  page: query.wholeNumber("page", { min: 0, max: MAX_INT }) ?? 0,
  pageSize: query.wholeNumber("pageSize", { min: 1, max: 200 }) ?? 20,
})

export const VERSIONS = { min: 1, max: MAX_INT }
