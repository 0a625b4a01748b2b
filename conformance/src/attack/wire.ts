// Requests as an attacker writes them: any path, any header, from any address.
import { Agent, type IncomingHttpHeaders, request } from "node:http"

export interface Shot {
  readonly method?: string
  /** Sent as it is written here. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** What the trusted proxy on 127.0.0.1 says of the caller. */
  readonly from?: string
  /** The caller's own address, in 127.0.0.0/8. */
  readonly peer?: string
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const MOST_SOCKETS = 256
const agent = new Agent({ keepAlive: true, maxSockets: MOST_SOCKETS })

export function ask(url: string, { method = "GET", path, headers, body, from, peer }: Shot): Promise<Answered> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const { hostname, port } = new URL(url)
  const all = {
    ...(from === undefined ? {} : { "x-forwarded-for": from }),
    ...(sent === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(sent) }),
    ...headers,
  }
  const options = { hostname, port, method, path, headers: all as Record<string, string>, agent }
  return new Promise((resolve, reject) => {
    const asked = request(peer === undefined ? options : { ...options, localAddress: peer })
    asked.once("error", reject).once("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      response.once("error", reject)
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.end(sent)
  })
}

/** Connections that are kept for the next request end here. */
export const closeConnections = (): void => agent.destroy()

/** Keeps `callers` calls open at the same time. */
export async function flood<T>(n: number, callers: number, shoot: (at: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  let next = 0
  const caller = async () => {
    while (next < n) {
      const at = next++
      answers[at] = await shoot(at)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return answers
}

export const countOf = (answers: readonly Pick<Answered, "status">[], status: number): number =>
  answers.filter((answer) => answer.status === status).length

/** `100 × 200, 50 × 429`. */
export function tally(answers: readonly Pick<Answered, "status">[]): string {
  const statuses = [...new Set(answers.map(({ status }) => status))].sort((a, b) => a - b)
  return statuses.map((status) => `${countOf(answers, status)} × ${status}`).join(", ")
}
