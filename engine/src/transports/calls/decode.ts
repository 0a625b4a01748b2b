// Decodes a request: all violations are reported together, in one refusal.
import { badRequest, type EngineError, unprocessable, type Violation } from "../../support/errors.ts"
import { isObject, type JsonObject } from "../../support/json.ts"
import { Fields, type Notes } from "./fields.ts"
import type { Call } from "./route.ts"

interface Sources {
  readonly body: Fields
  readonly query: Fields
}

type Read<T> = (from: Sources) => T
type Decoded = Pick<Call, "body" | "query"> & Partial<Pick<Call, "warnings">>
type Refuse = (message: string, details: readonly Violation[]) => EngineError

export const decode = <T>(call: Decoded, read: Read<T>): T => decodeOr(badRequest, call, read)

/** For the unversioned routes of the queue, which promise 422 where the others answer 400. */
export const decodeQueue = <T>(call: Decoded, read: Read<T>): T => decodeOr(unprocessable, call, read)

function decodeOr<T>(refusal: Refuse, call: Decoded, read: Read<T>): T {
  const notes: Notes = { violations: [], closed: [] }
  const value = read({
    body: new Fields(objectOf(call.body, refusal), "$", notes),
    query: new Fields(call.query, "query", notes, { isText: true }),
  })
  warnOfUnknown(notes, call.warnings)
  if (notes.violations.length > 0) refuse(notes.violations, refusal)
  return value
}

/** A header has room for a few. */
const MOST_WARNINGS = 10

/** Also where the request is refused: what is missing may be what was misspelt. */
function warnOfUnknown({ closed }: Notes, warnings: string[] | undefined): void {
  if (!warnings) return
  for (const fields of closed) {
    for (const { path, hint } of fields.unknown()) {
      if (warnings.length >= MOST_WARNINGS) return
      warnings.push(`${path} is not known here and was ignored${hint === undefined ? "" : `; ${hint}`}`)
    }
  }
}

/** The body as a map; a request without a body is one with an empty map. */
export function objectOf(body: Call["body"], refusal?: Refuse): JsonObject {
  if (body === undefined || body === null) return {}
  if (isObject(body)) return body as JsonObject
  return notAnObject(refusal)
}

export const notAnObject = (refusal?: Refuse): never =>
  refuse([{ path: "$", message: "the body must be a JSON object", hint: "wrap it in { }" }], refusal)

function refuse(violations: readonly Violation[], refusal: Refuse = badRequest): never {
  const [first] = violations
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : ""
  throw refusal(`${first?.path} ${first?.message}${more}`, violations)
}

const MAX_INT = 2_147_483_647

const readPageSize = (query: Fields): number =>
  query.orAbsent((from) => from.wholeNumber("pageSize", { min: 1, max: 200 })) ?? 20

export const readPage = (query: Fields) => ({
  page: query.wholeNumber("page", { min: 0, max: MAX_INT }) ?? 0,
  pageSize: readPageSize(query),
})

/** The query of a list that is paged by cursor alone. */
export const readCursorPage = (query: Fields) => ({
  cursor: query.optionalText("cursor", 512),
  pageSize: readPageSize(query),
})

export const VERSIONS = { min: 1, max: MAX_INT }

/** The pattern that the contract has for the id of a definition. */
export const DEFINITION_ID = /^[A-Za-z0-9_:-]{1,256}$/
