// A receiver of webhooks on this machine: it keeps what it was sent, and answers what a test wants it to.
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The event of the body. */
  readonly event: {
    readonly id: string
    readonly type: string
    readonly key: string | null
    readonly payload: { n?: number }
  }
}

export interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly text?: string
}

export interface WebReceiver {
  readonly url: string
  readonly received: Received[]
  /** Asked for each; 204 unless it says otherwise. Undefined does not answer at all. */
  answer: (received: Received) => Answer | undefined | Promise<Answer | undefined>
  close(): Promise<void>
}

export async function createWebReceiver(): Promise<WebReceiver> {
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    const one = { headers: request.headers, body, event: JSON.parse(body) as Received["event"] }
    receiver.received.push(one)
    const answer = await receiver.answer(one)
    if (answer) response.writeHead(answer.status, answer.headers).end(answer.text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const receiver: WebReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received: [],
    answer: () => ({ status: 204 }),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return receiver
}
