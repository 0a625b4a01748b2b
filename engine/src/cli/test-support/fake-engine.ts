// A small server that speaks the contract: what it was asked is kept, what it answers is the test's.
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

export interface Asked {
  /** `POST /v1/pauses`, with its query. */
  readonly route: string
  readonly body: unknown
  readonly headers: IncomingHttpHeaders
}

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: string
}

type Answers = Record<string, Reply | ((asked: Asked) => Reply)>

export interface FakeEngine {
  readonly url: string
  readonly asked: Asked[]
  /** By `POST /v1/pauses`, without the query. */
  answers: Answers
  close(): Promise<void>
}

const NOT_FOUND: Reply = {
  status: 404,
  body: { error: "not-found", message: "there is no such route", requestId: "r1" },
}

export async function startFakeEngine(answers: Answers = {}): Promise<FakeEngine> {
  const engine = createFakeEngine(answers)
  await engine.listen()
  return engine
}

/** Not yet listening; it can be told its answers before. */
export function createFakeEngine(answers: Answers = {}): FakeEngine & { listen(): Promise<void> } {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const body = request.headers["content-type"] ? await json(request) : undefined
    const one = { route: `${request.method} ${request.url}`, body, headers: request.headers }
    asked.push(one)
    const answer = engine.answers[one.route.split("?")[0] as string] ?? NOT_FOUND
    const { status = 200, headers = {}, body: sent, text } = typeof answer === "function" ? answer(one) : answer
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(text ?? (sent === undefined ? "" : JSON.stringify(sent)))
  })
  const engine = {
    url: "",
    asked,
    answers,
    listen: async () => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      engine.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return engine
}
