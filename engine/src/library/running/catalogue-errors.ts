// What leaves the library is in the words of the catalogue: failures of the database too, on every public method.
import { asEngineError, isRefusedByDatabase, isServerError } from "../../operations/kernel/run-operation.ts"
import { EngineError, type ErrorCode } from "../../support/errors.ts"
import { listViolations } from "../authoring/standard-schema.ts"

type Method = (this: unknown, ...given: unknown[]) => unknown

/**
 * To be called once for a class, in its static block: from then on no public method lets an error of the driver through. What the
 * caller's own functions and connections throw passes as it is.
 */
export function tellInCatalogue({ prototype }: { readonly prototype: object }): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
    if (name !== "constructor" && typeof value === "function")
      Object.defineProperty(prototype, name, { value: telling(value), writable: true, configurable: true })
}

function telling(method: Method): Method {
  return function told(...given) {
    try {
      const result = method.apply(this, given)
      return result instanceof Promise ? result.catch(rethrow) : result
    } catch (error) {
      return rethrow(error)
    }
  }
}

/** The same for a function. */
export const inCatalogue = <T>(work: Promise<T>): Promise<T> => work.catch(rethrow)

/** The same for what opens a database. One that refuses us then is not worth another try: its own words say what to correct. */
export const openInCatalogue = <T>(work: Promise<T>, address?: string): Promise<T> =>
  work.catch((error: unknown) => {
    if (isRefusedByDatabase(error) && isServerError(error)) throw refusal("bad-request", error)
    const known = told(error)
    throw address !== undefined && known instanceof EngineError ? atAddress(known, address) : known
  })

/** A caller who has just named a database wants to see which one it was. */
function atAddress(error: EngineError, address: string): EngineError {
  const { code, message, retryAfterSeconds, cause } = error
  if (code !== "unavailable") return error
  const words = message.replace(/^the database /, () => `the database at ${address} `)
  return new EngineError(code, words, { ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }), cause })
}

function rethrow(error: unknown): never {
  const known = told(error)
  throw known instanceof EngineError ? withFields(known) : known
}

const SHOWN = 3

/** On the wire the violations stand beside the message; of an error that is thrown the message alone is read. */
function withFields(error: EngineError): EngineError {
  const { details = [], message } = error
  const [first] = details
  if (!first || message.includes(first.message)) return error
  const more = details.length > SHOWN ? `; and ${details.length - SHOWN} more` : ""
  const words = `${message}: ${listViolations(details.slice(0, SHOWN))}${more}`
  const { stack = "" } = error
  // As a new one where it came from: the operation may tell the same error to others.
  return Object.assign(new EngineError(error.code, words, error), { stack: stack.replace(message, () => words) })
}

function told(error: unknown): unknown {
  const known = asEngineError(error)
  return known instanceof EngineError || !isServerError(error) ? known : refusal("internal-error", error)
}

const refusal = (code: ErrorCode, cause: Error): EngineError =>
  new EngineError(code, `the database refused: ${cause.message}`, { cause })
