// What leaves the library is in the words of the catalogue: failures of the database too, on every public method.
import { asEngineError, hasSqlState, isServerError } from "../../operations/kernel/run-operation.ts"
import { EngineError } from "../../support/errors.ts"

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

function rethrow(error: unknown): never {
  const told = asEngineError(error)
  if (told instanceof EngineError || !isServerError(error)) throw told
  const isAccess = hasSqlState(error, "28P01") || hasSqlState(error, "28000") || hasSqlState(error, "3D000")
  const code = isAccess ? "bad-request" : "internal-error"
  throw new EngineError(code, `the database refused: ${error.message}`, { cause: error })
}
