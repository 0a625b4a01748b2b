// REST at one address: an operation as an HTTP request, the answer as JSON, a refusal as the catalogue names it.
import { TransportError } from "../calls/errors.ts"
import { jsonText } from "../calls/json-text.ts"
import type { Logger } from "../calls/logger.ts"
import { type RestRequest, routeOf } from "../calls/operations.ts"
import { adviseOnRefusal } from "../calls/refusal-advice.ts"
import { warningsOf } from "../calls/warnings.ts"
import type { Attempt, Wire, WireRequest } from "../calls/wire.ts"
import { VERSION } from "../generated/version.ts"
import { type HttpResponse, HttpTransport } from "./http-transport.ts"
import { readError } from "./read-error.ts"

export interface RestWireOptions {
  readonly url: string
  readonly apiKey: string | undefined
  readonly maxSockets: number
  readonly logger: Logger
}

export const USER_AGENT = `millrace-typescript/${VERSION}`

export class RestWire implements Wire {
  readonly url: string
  readonly #transport: HttpTransport
  readonly #options: RestWireOptions
  readonly #headers: Readonly<Record<string, string>>

  constructor(options: RestWireOptions) {
    this.url = options.url
    this.#options = options
    this.#transport = new HttpTransport(options.url, options.maxSockets)
    const key = options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }
    this.#headers = { accept: "application/json", "user-agent": USER_AGENT, ...key }
  }

  async send({ operation, asked, metadata, onRepeat, waits }: WireRequest, attempt: Attempt): Promise<unknown> {
    const route = routeOf(operation, asked)
    const body = route.body === undefined ? undefined : jsonText(route.body)
    const type = body === undefined ? {} : { "content-type": "application/json" }
    const headers = { ...this.#headers, ...type, ...metadata }
    const response = await this.#transport.send({ ...route, ...attempt, headers, body, waits })
    this.#logWarnings(route, response)
    if (response.headers["idempotent-replayed"] === "true") onRepeat?.()
    if (response.status >= 200 && response.status < 300) return parse(route, response)
    throw this.#refusalOf(route, response)
  }

  close(): void {
    this.#transport.close()
  }

  #refusalOf({ method, path }: RestRequest, response: HttpResponse): Error {
    const { url, apiKey } = this.#options
    const version = response.headers["millrace-version"]
    const serverVersion = typeof version === "string" ? version : undefined
    const call = `${method} ${path.split("?", 1)[0]}`
    return adviseOnRefusal(readError(response), { url, call, serverVersion, hasKey: apiKey !== undefined })
  }

  #logWarnings({ method, path }: RestRequest, { headers }: HttpResponse): void {
    for (const warning of warningsOf(headers.warning))
      this.#options.logger.warn({ warning, call: `${method} ${path}` }, "the engine warns")
  }
}

function parse({ method, path }: RestRequest, { status, text }: HttpResponse): unknown {
  if (status === 204 || text === "") return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TransportError("malformed", `the answer to ${method} ${path} is not JSON`, { cause })
  }
}
