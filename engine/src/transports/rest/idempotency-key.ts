// The Idempotency-Key of a request, with the scope it holds in: method, path as sent, and credential.
import { digestOf, type RequestKey } from "../../operations/idempotency.ts"
import { badRequest } from "../../support/errors.ts"
import type { Call } from "./route.ts"

const KEY = /^[\x20-\x7e]{1,200}$/

/** Undefined without the header. */
export function requestKeyOf(call: Call): RequestKey | undefined {
  const { idempotencyKey: key, method, path, principal, body } = call
  if (key === undefined) return undefined
  if (!KEY.test(key)) {
    const violation = { path: "header.Idempotency-Key", message: "must be 1 to 200 printable ASCII characters" }
    throw badRequest(`${violation.path} ${violation.message}`, [violation])
  }
  return { scope: `${method} ${path} ${principal.id}`, key, digest: digestOf(body) }
}
