// The request and the answer of a hot route, straight on Node's own.
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import type { Principal } from "../../../../operations/people/api-keys.ts"
import { assert } from "../../../../support/assert.ts"
import type { JsonValue } from "../../../../support/json.ts"
import type { Span } from "../../../../support/spans.ts"
import type { Visitor } from "../../../calls/authorize.ts"
import type { Answer, Route } from "../../../calls/route.ts"
import type { Answering, Asked } from "../exchange.ts"
import type { Found } from "./hot-routes.ts"

/** The front leaves requests with a query to Fastify. */
const NO_QUERY: Readonly<Record<string, never>> = Object.freeze({})

export class FrontRequest implements Asked {
  readonly raw: IncomingMessage
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  readonly routeOptions: Asked["routeOptions"]
  readonly query = NO_QUERY
  readonly is404 = false
  body: JsonValue | undefined = undefined
  matched: Route | null = null
  principal: Principal | null = null
  visitor: Visitor | null = null
  trace: string | null = null
  span: Span | null = null

  constructor(raw: IncomingMessage, id: string, { params, options }: Pick<Found, "params" | "options">) {
    this.raw = raw
    this.id = id
    this.params = params
    this.routeOptions = options
  }

  get method(): string {
    return this.raw.method as string
  }

  get headers(): IncomingMessage["headers"] {
    return this.raw.headers
  }

  get socket(): IncomingMessage["socket"] {
    return this.raw.socket
  }
}

export class FrontReply implements Answering {
  readonly raw: ServerResponse
  readonly #since = performance.now()
  readonly #headers: Record<string, string | string[]> = {}

  constructor(raw: ServerResponse) {
    this.raw = raw
  }

  get sent(): boolean {
    return this.raw.writableEnded
  }

  get statusCode(): number {
    return this.raw.statusCode
  }

  get elapsedTime(): number {
    return performance.now() - this.#since
  }

  code(status: number): void {
    this.raw.statusCode = status
  }

  /** Names are in small letters, here and below. */
  header(name: string, value: string): void {
    this.#headers[name] = value
  }

  headers(values: NonNullable<Answer["headers"]>): void {
    for (const name in values) this.#headers[name] = values[name] as string | string[]
  }

  getHeader(name: string): string | string[] | undefined {
    return this.#headers[name]
  }

  send(body?: string | Buffer | Readable): void {
    const { raw } = this
    const headers = this.#headers
    const isText = typeof body === "string"
    assert(body === undefined || isText || Buffer.isBuffer(body), "a hot route answers at once, and not by a stream")
    if (body !== undefined) headers["content-length"] = String(isText ? Buffer.byteLength(body) : body.length)
    else if (raw.statusCode !== 204) headers["content-length"] = "0"
    raw.writeHead(raw.statusCode, headers)
    raw.end(body)
  }
}
