// Which hot route a request is for, by one look at its URL as it was sent.
import type { Route } from "../../../calls/route.ts"
import type { Asked } from "../exchange.ts"

export interface Found<T = unknown> {
  readonly mounted: T
  readonly params: Readonly<Record<string, string>>
  readonly options: Asked["routeOptions"]
}

interface WithHole<T> {
  readonly mounted: T
  readonly options: Asked["routeOptions"]
  readonly before: string
  readonly name: string
  readonly after: string
}

/** What fills a hole without an escape in it; for any other, and for a query, Fastify has the rules. */
const PLAIN = /^[A-Za-z0-9_:-]{1,256}$/
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

export class HotRoutes<T> {
  readonly #whole = new Map<string, Found<T>>()
  readonly #withHole: WithHole<T>[] = []

  add({ path }: Pick<Route, "path">, mounted: T): void {
    const options = { url: path, config: {} }
    const [before, name, after] = path.split(/[{}]/)
    if (before === undefined || name === undefined || after === undefined)
      this.#whole.set(path, { mounted, params: NO_PARAMS, options })
    else this.#withHole.push({ mounted, options, before, name, after })
  }

  /** A path without a hole comes first, as in Fastify. */
  find(url: string): Found<T> | undefined {
    const whole = this.#whole.get(url)
    if (whole) return whole
    for (const { before, name, after, mounted, options } of this.#withHole) {
      if (!url.startsWith(before) || !url.endsWith(after)) continue
      const value = url.slice(before.length, url.length - after.length)
      if (PLAIN.test(value)) return { mounted, params: { [name]: value }, options }
    }
    return undefined
  }
}
