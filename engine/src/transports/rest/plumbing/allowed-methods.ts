// Which methods a path knows, for the requests that no route takes: 405 where there are some, 404 where there are none.
import { EngineError } from "../../../support/errors.ts"
import type { Route } from "../../calls/route.ts"

export class AllowedMethods {
  readonly #patterns: readonly { readonly pattern: RegExp; readonly method: Route["method"] }[]

  constructor(routes: readonly Route[]) {
    this.#patterns = routes.map((route) => ({ pattern: patternOf(route), method: route.method }))
  }

  /** The value of the Allow header; undefined for an unknown path. */
  of(url: string): string | undefined {
    const path = url.split("?", 1)[0] as string
    const methods = this.#patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return undefined
    return [...new Set(methods.flatMap((method) => SPELT_OUT[method] ?? [method]))].join(", ")
  }
}

const SPELT_OUT: Readonly<Partial<Record<Route["method"], readonly string[]>>> = {
  GET: ["GET", "HEAD"],
  ANY: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
}

function patternOf({ path, openEnded }: Route): RegExp {
  const text = path.replaceAll(".", "\\.")
  return new RegExp(`^${(openEnded ? text.replace(/\{\w+\}$/, ".*") : text).replaceAll(/\{\w+\}/g, "[^/]+")}$`)
}

export const noSuchRoute = new EngineError("not-found", "there is no such route")
export const noSuchMethod = new EngineError("method-not-allowed", "this route does not take this method; see Allow")
