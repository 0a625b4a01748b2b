// What an event may be called, and what may stand in its headers.
import { badRequest, type Violation } from "../../support/errors.ts"
import { isObject } from "../../support/json.ts"
import { isRoutingName, ROUTING_NAME_HINT } from "../jobs/routing-name.ts"

/** The engine's own: an event of such a type would be taken for a job that the engine dispatched. */
const RESERVED = "workflow."
/** The engine itself publishes only these: the life of instances, and a new incarnation in the ids of events. */
const LIFE = "workflow.events."
const INCARNATION = "workflow.incarnation"
const HEADER_NAME = /^[A-Za-z0-9_-]{1,100}$/
const HEADER_TEXT = /^[\x20-\x7e]*$/
const MAX_HEADER_BYTES = 8_192

type Fault = Omit<Violation, "path">

const NO_TYPE: Fault = { message: "is no type of events", hint: ROUTING_NAME_HINT }
const ENGINES_OWN = `begins with ${RESERVED}, which only the engine publishes`

/** Undefined for a type that anyone may publish. */
export function typeFault(type: unknown): Fault | undefined {
  if (!isRoutingName(type)) return NO_TYPE
  if (!type.startsWith(RESERVED)) return undefined
  return { message: ENGINES_OWN, hint: "choose another beginning" }
}

/** Undefined for a type that can be subscribed to: one that anyone may publish, or one of the engine's own. */
export function subscriptionFault(type: unknown): Fault | undefined {
  if (!isRoutingName(type)) return NO_TYPE
  if (!type.startsWith(RESERVED) || type.startsWith(LIFE) || type === INCARNATION) return undefined
  return { message: ENGINES_OWN, hint: `of those, ${LIFE}<definition> and ${INCARNATION} can be subscribed to` }
}

/** Whether a type could be found that has a reserved name behind this prefix: `workflow.` and `jobs.mail`, or `work` and `flow.jobs.mail`. */
export const leadsToReserved = (prefix: string): boolean => prefix.startsWith(RESERVED) || RESERVED.startsWith(prefix)

/** Undefined for texts by name, as they go over the wire of any sink. */
export function headersFault(headers: unknown): Fault | undefined {
  if (!isObject(headers)) return { message: "must be an object", hint: "texts by name" }
  for (const [name, text] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name))
      return { message: "has a name that is none", hint: "a name has 1 to 100 letters, digits, _ and -" }
    if (typeof text !== "string" || !HEADER_TEXT.test(text))
      return { message: `must have a text of printable ASCII under ${name}`, hint: "encode what is more than that" }
  }
  const bytes = JSON.stringify(headers).length
  if (bytes <= MAX_HEADER_BYTES) return undefined
  return { message: `may take ${MAX_HEADER_BYTES} bytes in all`, hint: `they take ${bytes}` }
}

/** Throws `bad-request`. */
export function checkHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const fault = headersFault(headers)
  if (fault) throw badRequest(`headers ${fault.message}: ${fault.hint}`)
  return headers
}
