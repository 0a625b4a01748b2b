// Requests over kept-alive connections, with how long each took.
import { Agent, request } from "node:http"

export interface Answer {
  /** 0 when there was none. */
  readonly status: number
  readonly body: string
  readonly tookMs: number
}

export class HttpClient {
  readonly #agent: Agent

  constructor(maxSockets: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets })
  }

  post(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const text = JSON.stringify(body)
    const all = { "content-type": "application/json", "content-length": `${Buffer.byteLength(text)}`, ...headers }
    return this.#ask(url, { method: "POST", headers: all }, text)
  }

  get(url: string): Promise<Answer> {
    return this.#ask(url, { method: "GET" })
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(url: string, options: object, body = ""): Promise<Answer> {
    const startedAt = performance.now()
    const tookMs = () => performance.now() - startedAt
    return new Promise((resolve) => {
      const lost = () => resolve({ status: 0, body: "", tookMs: tookMs() })
      const asking = request(url, { ...options, agent: this.#agent, timeout: PATIENCE_MS }, (response) => {
        const parts: Buffer[] = []
        response.on("data", (part: Buffer) => parts.push(part)).once("error", lost)
        response.once("close", lost)
        response.once("end", () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString(), tookMs: tookMs() }),
        )
      })
      asking.once("timeout", () => asking.destroy()).once("error", lost)
      asking.end(body)
    })
  }
}

const PATIENCE_MS = 60_000
