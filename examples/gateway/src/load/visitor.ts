// One visitor of the scene: it has an address of its own, which the proxy in front of the gateway tells, and one connection.
import { Agent, request } from "node:http"

export interface Answer {
  readonly status: number
  readonly tookMs: number
  /** What the guard asks for, where it refuses or delays. */
  readonly retryAfter: number | undefined
  readonly text: string
}

export class Visitor {
  readonly #url: string
  readonly #address: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #token: string | undefined

  /** From 198.18.0.0/15, which is set aside for measurements. */
  constructor(url: string, number: number) {
    this.#url = url
    this.#address = `198.18.${number >> 8}.${number & 255}`
  }

  get(path: string): Promise<Answer> {
    return this.#send("GET", path)
  }

  post(path: string, body: object): Promise<Answer> {
    return this.#send("POST", path, JSON.stringify(body))
  }

  /** What comes after the sign-in is sent with its token. */
  async signIn(username: string, password: string): Promise<Answer> {
    const answer = await this.post("/auth/login", { username, password })
    if (answer.status === 200) this.#token = (JSON.parse(answer.text) as { access_token: string }).access_token
    return answer
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(method: string, path: string, body?: string): Promise<Answer> {
    const headers: Record<string, string> = { "x-forwarded-for": this.#address }
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`
    if (body !== undefined) headers["content-type"] = "application/json"
    const startedAt = performance.now()
    return new Promise((resolve, reject) => {
      const sent = request(this.#url + path, { method, headers, agent: this.#agent }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (piece) => {
          text += piece
        })
        response.on("error", reject).on("end", () => {
          const retryAfter = response.headers["retry-after"]
          const tookMs = performance.now() - startedAt
          const status = response.statusCode ?? 0
          resolve({ status, tookMs, text, retryAfter: retryAfter === undefined ? undefined : Number(retryAfter) })
        })
      })
      sent.on("error", reject).end(body)
    })
  }
}
