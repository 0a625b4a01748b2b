// One HTTP request over a connection that is kept open. `fetch` would do; it takes 0.7 ms of processor time for calls as small as
// these, this takes 0.3 ms, and two cores also hold the services and the database.
import { Agent, request as open } from "node:http"

export interface Request {
  readonly method: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}
export interface Response {
  readonly status: number
  readonly text: string
}

const agent = new Agent({ keepAlive: true })

export const request = (url: string, { method, headers = {}, body, signal }: Request): Promise<Response> =>
  new Promise((resolve, reject) => {
    const outgoing = open(url, { agent, method, headers, signal }, (incoming) => {
      let text = ""
      incoming.setEncoding("utf8")
      incoming.on("data", (chunk: string) => (text += chunk))
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text }))
      incoming.on("error", reject)
    })
    outgoing.on("error", reject)
    outgoing.end(body)
  })
