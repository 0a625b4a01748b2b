// What leaves the library is in the words of the catalogue: failures of the database too, on every public method.
import { asEngineError, isRefusedByDatabase, isServerError } from "../../operations/kernel/run-operation.ts"
import { EngineError, type ErrorCode } from "../../support/errors.ts"

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
  throw told(error)
}

function told(error: unknown): unknown {
  const known = asEngineError(error)
  return known instanceof EngineError || !isServerError(error) ? known : refusal("internal-error", error)
}

const refusal = (code: ErrorCode, cause: Error): EngineError =>
  new EngineError(code, `the database refused: ${cause.message}`, { cause })
