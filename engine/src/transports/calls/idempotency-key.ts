// The Idempotency-Key of a request, with the scope it holds in: method, path as sent, and credential.
import { digestOf, type RequestKey } from "../../operations/kernel/idempotency.ts"
import type { Principal } from "../../operations/people/api-keys.ts"
import { badRequest, notFound } from "../../support/errors.ts"
import type { Call } from "./route.ts"
import { NETWORK_SUBJECT } from "./trusted-networks.ts"

const KEY = /^[\x20-\x7e]{1,200}$/
const INTAKE_KEY = /^[\x20-\x7e]{1,256}$/

/** Undefined without the header. */
export function requestKeyOf(call: Call): RequestKey | undefined {
  const { idempotencyKey: key, method, path, principal, body } = call
  if (key === undefined) return undefined
  if (!KEY.test(key)) throw wrong("must be 1 to 200 printable ASCII characters")
  return { scope: `${method} ${path} ${holderOf(principal)}`, key, digest: digestOf(body) }
}

/**
 * By the typed name, so that a key, a user and a person of a provider with equal ids do not get each other's answers. A key stays its bare
 * id, which has no colon: requests that were sent before an upgrade may be repeated after it.
 */
const holderOf = ({ id, subject }: Principal): string =>
  subject === undefined || subject === NETWORK_SUBJECT || subject === `key:${id}` ? id : subject

/** The key of an intake holds for its definition, as long as the instance lives. */
export function intakeKeyOf({ idempotencyKey: key }: Call): string {
  if (key === undefined)
    throw wrong("is required", "send a key of your own, such as a UUID, and the same for every repeat")
  if (!INTAKE_KEY.test(key)) throw wrong("must be 1 to 256 printable ASCII characters")
  return key
}

/** One that no intake can have had is not found, and never reaches the database. */
export function intakeKeyInPath({ params: { key = "" } }: Call): string {
  if (!INTAKE_KEY.test(key)) throw notFound("nothing was taken in with this key")
  return key
}

function wrong(message: string, hint?: string) {
  const violation = { path: "header.Idempotency-Key", message, ...(hint === undefined ? {} : { hint }) }
  return badRequest(`${violation.path} ${violation.message}`, [violation])
}
