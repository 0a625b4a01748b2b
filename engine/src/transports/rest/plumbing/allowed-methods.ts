// Which methods a path knows, for the requests that no route takes: 405 where there are some, 404 where there are none.
import { EngineError } from "../../../support/errors.ts"
import type { Route } from "../../calls/route.ts"

interface Known extends Pick<Route, "method" | "path" | "openEnded"> {
  readonly pattern: RegExp
}

export class AllowedMethods {
  readonly #patterns: readonly Known[]

  constructor(routes: readonly Route[]) {
    this.#patterns = routes.map((route) => ({ ...route, pattern: patternOf(route) }))
  }

  /** The route that is meant by a path that lacks `/v1`, or has it and should not: routes of the queue have none, the others do. */
  meant(url: string): string | undefined {
    const path = pathOf(url)
    const other = path.startsWith("/v1/") ? path.slice("/v1".length) : `/v1${path}`
    return this.#patterns.find(({ path, openEnded, pattern }) => path !== "/" && !openEnded && pattern.test(other))
      ?.path
  }

  /** The value of the Allow header; undefined for an unknown path. */
  of(url: string): string | undefined {
    const path = pathOf(url)
    const methods = this.#patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return undefined
    return [...new Set(methods.flatMap((method) => SPELT_OUT[method] ?? [method]))].join(", ")
  }
}

const pathOf = (url: string): string => url.split("?", 1)[0] as string

const SPELT_OUT: Readonly<Partial<Record<Route["method"], readonly string[]>>> = {
  GET: ["GET", "HEAD"],
  ANY: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
}

function patternOf({ path, openEnded }: Route): RegExp {
  const text = path.replaceAll(".", "\\.")
  return new RegExp(`^${(openEnded ? text.replace(/\{\w+\}$/, ".*") : text).replaceAll(/\{\w+\}/g, "[^/]+")}$`)
}

export const noSuchRoute = (meant?: string): EngineError =>
  new EngineError("not-found", `there is no such route${meant === undefined ? "" : `: it is ${meant}`}`)
export const noSuchMethod = new EngineError("method-not-allowed", "this route does not take this method; see Allow")
