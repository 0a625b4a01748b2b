// Sends requests of REST: through a client that keeps its connections, or written to a socket byte by byte.
import { Agent, request as httpRequest, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { type RestAnswer, readResponse } from "./read-response.ts"
import type { RestRequest } from "./rest-request.ts"

/** Longer than the longest wait of a poll and its deadline: only to give up on an answer that never comes. */
const GIVE_UP_MS = 90_000
/** How long to read an answer that never ends by itself. */
const STREAMED_MS = 30
/** A server that waits for the rest of a broken request is left alone after this. */
const SILENT_MS = 1_000

export class RestWire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })
  readonly #host: string
  readonly #port: number

  constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
  }

  async send(request: RestRequest): Promise<RestAnswer> {
    if (request.raw) return this.#sendRaw(request, SILENT_MS)
    try {
      return await this.#sendPlain(request)
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException
      // What the client will not send, or cannot read: a request line that is too long is refused before it is known to be a HEAD.
      if (/^(ERR_(INVALID|UNESCAPED|HTTP)|HPE_)/.test(code)) return this.#sendRaw(request, GIVE_UP_MS)
      return { status: 0, headers: {}, text: "", failure: `${code} ${message}` }
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #sendPlain({ method, target, headers, body, operation }: RestRequest): Promise<RestAnswer> {
    const length = body && !("transfer-encoding" in headers) ? { "content-length": String(body.length) } : {}
    const options = {
      host: this.#host,
      port: this.#port,
      method,
      path: target,
      headers: { ...headers, ...length },
      agent: this.#agent,
    }
    return new Promise((resolve, reject) => {
      const sent = httpRequest(options)
      sent.setTimeout(GIVE_UP_MS, () => sent.destroy(new Error(`no answer in ${GIVE_UP_MS} ms`)))
      sent.once("error", reject)
      sent.once("response", (response) => {
        if (operation.id === "openStream") setTimeout(() => response.destroy(), STREAMED_MS)
        readAll(response).then(resolve, reject)
      })
      sent.end(body)
    })
  }

  /** Ends the connection: what follows a broken request on it would be guessed. */
  #sendRaw({ method, target, headers, body }: RestRequest, patienceMs: number): Promise<RestAnswer> {
    const all = {
      host: `${this.#host}:${this.#port}`,
      connection: "close",
      "content-length": String(body?.length ?? 0),
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "utf8")
    return new Promise((resolve) => {
      const parts: Buffer[] = []
      const end = () => resolve(readResponse(Buffer.concat(parts)))
      const socket = connect(this.#port, this.#host)
      socket.setTimeout(patienceMs, () => socket.destroy())
      socket.on("data", (part) => void parts.push(part)).once("error", () => {})
      socket.once("close", end)
      socket.write(body ? Buffer.concat([head, body]) : head)
    })
  }
}

function readAll(response: IncomingMessage): Promise<RestAnswer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const done = () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)])),
        text: Buffer.concat(parts).toString("utf8"),
      })
    response.on("data", (part: Buffer) => void parts.push(part))
    response.once("end", done).once("close", done).once("error", reject)
  })
}
