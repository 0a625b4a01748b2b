// A fake downstream service: a real HTTP server that takes its time, fails now and then, and does nothing twice for one Idempotency-Key.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Random } from "../seeded.ts"
import { Tally } from "./tally.ts"

export interface Answer {
  readonly status: number
  readonly body: object
  /** What changed in the world, and for whom. */
  readonly effect?: string
}
export interface Call {
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, string>>
}
/** By method and path, such as `POST /accounts`. */
export type Routes = Readonly<Record<string, (call: Call) => Answer>>

export interface Faults {
  readonly latencyMs: { readonly least: number; readonly most: number }
  /** Share of calls that are answered with 503 before anything happens. */
  readonly refuse: number
  /** Share of calls whose answer is lost after it has happened: what idempotency keys are for. */
  readonly lose: number
}

export class FakeService {
  readonly #routes: Routes
  readonly #faults: Faults
  readonly #random: Random
  readonly #tally = new Tally()
  readonly #memory = new Map<string, Answer>()

  constructor(routes: Routes, faults: Faults, random: Random) {
    this.#routes = routes
    this.#faults = faults
    this.#random = random
  }

  /** On a free port of this machine. */
  async listen(): Promise<Server> {
    const server = createServer((request, response) => void this.#serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return server
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://service")
    const route = `${request.method} ${pathname}`
    if (route === "GET /stats") return reply(response, { status: 200, body: this.#tally.stats() })
    this.#tally.begin(route)
    try {
      const body = JSON.parse((await textOf(request)) || "{}")
      await sleep(this.#latencyMs())
      this.#answer(route, { query, body }, request, response)
    } catch {
      response.destroy() // the caller is gone: a worker was killed in the middle of a call
    } finally {
      this.#tally.end()
    }
  }

  #answer(route: string, call: Call, request: IncomingMessage, response: ServerResponse): void {
    if (this.#random() < this.#faults.refuse) {
      this.#tally.refused++
      return reply(response, { status: 503, body: { error: "busy" } })
    }
    const answer = this.#once(request.headers["idempotency-key"], () => this.#perform(route, call))
    if (answer.effect !== undefined && this.#random() < this.#faults.lose) {
      this.#tally.lost++
      response.destroy()
    } else reply(response, answer)
  }

  #once(key: string | string[] | undefined, perform: () => Answer): Answer {
    if (typeof key !== "string") return perform()
    const known = this.#memory.get(key)
    if (known) this.#tally.repeated++
    const answer = known ?? perform()
    this.#memory.set(key, answer)
    return answer
  }

  #perform(route: string, call: Call): Answer {
    const answer = this.#routes[route]?.(call) ?? { status: 404, body: { error: `no ${route}` } }
    if (answer.effect !== undefined) this.#tally.effect(route, answer.effect)
    return answer
  }

  #latencyMs(): number {
    const { least, most } = this.#faults.latencyMs
    return least + this.#random() * (most - least)
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function reply(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
