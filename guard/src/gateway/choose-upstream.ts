// Which upstream a path belongs to: the one with the longest prefix of whole segments.
import type { Upstream } from "./upstream.ts"

interface Entry {
  readonly prefix: string
  readonly upstream: Upstream
}

const UNRESERVED = /%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3[0-9]|2d|5f|7e)/gi

/**
 * A path as a lenient upstream may read it: letters that were encoded for no reason, upper case, and parameters after a semicolon.
 * `/Admin;x` or `/%61dmin` must not find a public upstream beside a private `/admin`.
 */
export const leniently = (path: string): string =>
  path
    .replaceAll(UNRESERVED, (code) => decodeURIComponent(code))
    .replaceAll(/;[^/]*/g, "")
    .toLowerCase()

export class UpstreamTable {
  readonly #entries: readonly Entry[]

  constructor(upstreams: readonly Upstream[]) {
    this.#entries = upstreams
      .map((upstream) => ({ prefix: upstream.path === "/" ? "/" : `${leniently(upstream.path)}/`, upstream }))
      .toSorted((a, b) => b.prefix.length - a.prefix.length)
  }

  find(path: string): Upstream | undefined {
    const [only] = this.#entries
    if (this.#entries.length === 1 && only?.prefix === "/") return only.upstream
    const whole = `${leniently(path)}/`
    return this.#entries.find(({ prefix }) => whole.startsWith(prefix))?.upstream
  }
}
