// What an event may be called, and what may stand in its headers.
import { badRequest, type Violation } from "../../support/errors.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../jobs/routing-name.ts"

/** The engine's own: an event of such a type would be taken for a job that the engine dispatched. */
const RESERVED = "workflow."
const HEADER_NAME = /^[A-Za-z0-9_-]{1,100}$/
const HEADER_TEXT = /^[\x20-\x7e]*$/
const MAX_HEADER_BYTES = 8_192

/** Undefined for a type that anyone may publish. */
export function typeFault(type: unknown): Omit<Violation, "path"> | undefined {
  if (!isRoutingName(type)) return { message: "is no type of events", hint: ROUTING_NAME_HINT }
  if (!type.startsWith(RESERVED)) return undefined
  return { message: `begins with ${RESERVED}, which only the engine publishes`, hint: "choose another beginning" }
}

/** Texts by name, as they go over the wire of any sink. Throws `bad-request`. */
export function checkHeaders(headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  for (const [name, text] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name)) throw badRequest(`headers: a name has 1 to 100 letters, digits, _ and -`)
    if (typeof text !== "string" || !HEADER_TEXT.test(text))
      throw badRequest(`headers.${name} must be a text of printable ASCII`)
  }
  if (JSON.stringify(headers).length > MAX_HEADER_BYTES)
    throw badRequest(`headers may take ${MAX_HEADER_BYTES} bytes in all`)
  return headers as Readonly<Record<string, string>>
}
