// Refuses what the messages of gRPC would bend in silence, a text for a flag or a number for a text, in the words of the engine.
import { MillraceError } from "../../calls/errors.ts"
import type { Given } from "../../calls/operations.ts"
import { BODY_SHAPES } from "../../generated/fields.ts"
import { KINDS } from "../../generated/kinds.ts"
import type { Operations, Violation } from "../../generated/wire.ts"
import { fits } from "./fits.ts"
import { DEFINITION_WORDING, REQUEST_WORDING, type Wording } from "./wordings.ts"

/** Throws what REST would answer, and nothing is sent. */
export function refuseWrongKinds(operation: keyof Operations, { query, body }: Given): void {
  const isUpload = operation === "uploadDefinition"
  const wording = isUpload ? DEFINITION_WORDING : REQUEST_WORDING
  const violations: Violation[] = []
  const shape = isUpload ? "Definition" : BODY_SHAPES[operation]
  if (query && KINDS[operation]) new KindCheck(wording, violations, true).fields(query, operation, "query")
  if (body && shape) new KindCheck(wording, violations).value(body, shape, "$")
  if (violations.length === 0) return
  const message = wording.summary(violations)
  throw new MillraceError({ code: "bad-request", status: 400, message, details: violations })
}

class KindCheck {
  readonly #wording: Wording
  readonly #violations: Violation[]
  readonly #inQuery: boolean

  constructor(wording: Wording, violations: Violation[], inQuery = false) {
    this.#wording = wording
    this.#violations = violations
    this.#inQuery = inQuery
  }

  fields(value: object, shape: string, at: string): void {
    const held = value as Readonly<Record<string, unknown>>
    for (const [name, kind] of Object.entries(KINDS[shape]!))
      if (held[name] !== undefined) this.value(held[name], kind, child(at, name))
  }

  value(held: unknown, kind: string, at: string): void {
    if (held === null && this.#wording.nullIsAbsent) return
    if (kind.endsWith("[]")) this.#list(held, kind.slice(0, -2), at)
    else if (kind.endsWith("{}")) this.#map(held, kind.slice(0, -2), at)
    else if (Object.hasOwn(KINDS, kind)) this.#shape(held, kind, at)
    else if (!fits(held, kind, this.#inQuery)) this.#wrong(held, kind, at)
  }

  #shape(held: unknown, shape: string, at: string): void {
    if (fits(held, "object")) this.fields(held as object, shape, at)
    else this.#wrong(held, "object", at)
  }

  #list(held: unknown, kind: string, at: string): void {
    if (!Array.isArray(held)) return this.#wrong(held, "list", at)
    for (const [index, item] of held.entries()) this.value(item, kind, `${at}[${index}]`)
  }

  #map(held: unknown, kind: string, at: string): void {
    if (!fits(held, "object")) return this.#wrong(held, "object", at)
    for (const [name, item] of Object.entries(held as object)) this.value(item, kind, child(at, name))
  }

  #wrong(held: unknown, kind: string, path: string): void {
    this.#violations.push({ path, ...this.#wording.fault(held, kind) })
  }
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/

const child = (at: string, name: string): string =>
  PLAIN.test(name) ? `${at}.${name}` : `${at}[${JSON.stringify(name)}]`
