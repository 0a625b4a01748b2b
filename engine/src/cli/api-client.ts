// Speaks to the engine over REST, and turns whatever can go wrong into a line that says what to do.
import { isObject } from "../support/json.ts"
import { CommandError } from "./command-error.ts"
import { type EngineAddress, engineAddress } from "./engine-address.ts"
import { explainRefusal, type Refusal } from "./explain-refusal.ts"

const TIMEOUT_MS = 30_000

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
type Query = Readonly<Record<string, string | number | boolean | undefined>>

export class ApiClient {
  readonly #address: EngineAddress

  constructor(env: NodeJS.ProcessEnv) {
    this.#address = engineAddress(env)
  }

  get url(): string {
    return this.#address.url
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.#call<T>("GET", path + queryText(query), undefined)
  }

  /** For what is only told besides: undefined where the key may change things but not read them. */
  async getIfAllowed<T>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path)
    } catch (error) {
      if (error instanceof CommandError && error.refusal === "forbidden") return undefined
      throw error
    }
  }

  send<T = unknown>(method: Exclude<Method, "GET">, path: string, body?: unknown): Promise<T> {
    return this.#call<T>(method, path, body)
  }

  async #call<T>(method: Method, path: string, body: unknown): Promise<T> {
    const response = await this.#fetch(method, path, body)
    const text = await response.text().catch(() => {
      throw new CommandError(`the engine at ${this.url} hung up in the middle of its answer: try again`)
    })
    const answer = parse(text)
    if (response.ok && answer.parsed) return answer.value as T
    const refusal = this.#refusal(response, answer.parsed ? answer.value : undefined)
    const code = isObject(refusal.body) ? refusal.body.error : undefined
    throw new CommandError(explainRefusal(refusal), 1, typeof code === "string" ? code : undefined)
  }

  async #fetch(method: Method, path: string, body: unknown): Promise<Response> {
    const { apiKey } = this.#address
    const headers = {
      accept: "application/json",
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    try {
      // Followed by hand: a key must not wander to where somebody points.
      return await fetch(this.url + path, { method, headers, signal, redirect: "manual", ...content })
    } catch (error) {
      throw new CommandError(this.#unreachable(error))
    }
  }

  #unreachable(error: unknown): string {
    if ((error as Error).name === "TimeoutError") return `the engine at ${this.url} does not answer: look at its log`
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    const why = code ? ` (${code})` : ""
    return `the engine is not reachable at ${this.url}${why}: is it running? \`millrace dev\` starts one here; WE_URL says where another is`
  }

  #refusal({ status, headers }: Response, body: unknown): Refusal {
    const { url, apiKey } = this.#address
    const at = { retryAfter: headers.get("retry-after"), location: headers.get("location") }
    return { status, url, hasKey: apiKey !== undefined, body, ...at }
  }
}

function parse(text: string): { parsed: boolean; value?: unknown } {
  if (text === "") return { parsed: true }
  try {
    return { parsed: true, value: JSON.parse(text) }
  } catch {
    return { parsed: false }
  }
}

function queryText(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? "" : `?${new URLSearchParams(given as [string, string][])}`
}
