// A real HTTP server that stands in for an engine: it hands out the jobs a test offers, records every request, and answers
// as the test scripts it. It knows no rules of workflow.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ExchangeRequest, Job } from "../client/job-types.ts"
import type { PollOptions } from "../generated/wire.ts"

export interface Received {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  readonly body: Record<string, unknown> & Partial<PollOptions> & ExchangeRequest
  readonly text: string
  /** Cuts the connection without an answer. */
  cut(): void
  /** Resolves when the connection is no more. */
  readonly gone: Promise<void>
}

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
  /** Sent instead of `body`, as it is. */
  readonly text?: string
}

export interface SentReport {
  readonly jobId: string
  readonly kind: "completed" | "failed"
  readonly [field: string]: unknown
}

/** Answers a request; undefined leaves it to the script before, "hang" never answers. */
type Script = (received: Received) => Reply | undefined | "hang" | Promise<Reply | undefined | "hang">

export class ScriptedEngine {
  readonly received: Received[] = []
  /** How many were made so far. */
  connections = 0
  readonly #server: Server
  #scripts: Script[] = []
  #offered: Job[] = []
  #pollers: (() => void)[] = []
  #watchers: (() => void)[] = []

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
    this.#server.on("connection", () => this.connections++)
  }

  /** At a port of its own, or one that was given before. */
  static async start(port = 0): Promise<ScriptedEngine> {
    const engine = new ScriptedEngine()
    await new Promise<void>((resolve) => engine.#server.listen(port, "127.0.0.1", resolve))
    return engine
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Puts a script before the others; the path may end in `*`. */
  on(path: string, script: Script): this {
    this.#scripts.unshift((received) => (matches(path, received.path) ? script(received) : undefined))
    return this
  }

  /** Does the same as `on`, but only for the first request to which the script gives a reply. */
  once(path: string, script: Script): this {
    let used = false
    return this.on(path, async (received) => {
      if (used) return undefined
      used = true
      const reply = await script(received)
      used = reply !== undefined
      return reply
    })
  }

  /** Adds jobs for the next poll. */
  offer(...jobs: Job[]): void {
    this.#offered.push(...jobs)
    for (const wake of this.#pollers.splice(0)) wake()
  }

  /** Requests of a path, oldest first. */
  requests(path: string): Received[] {
    return this.received.filter((received) => matches(path, received.path))
  }

  /** Every report so far, in the order of arrival, whatever its form. */
  get reports(): SentReport[] {
    return this.received.flatMap(reportsOf)
  }

  /** Resolves when `condition` holds; looked at after each request. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return
        this.#watchers = this.#watchers.filter((other) => other !== check)
        resolve()
      }
      this.#watchers.push(check)
      check()
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString("utf8")
    const url = new URL(request.url ?? "/", this.url)
    const received: Received = {
      method: request.method ?? "",
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === "" ? {} : JSON.parse(text),
      text,
      cut: () => request.socket.destroy(),
      gone: new Promise((resolve) => request.socket.once("close", () => resolve())),
    }
    this.received.push(received)
    for (const check of this.#watchers) check()
    const reply = await this.#answer(received, response)
    if (reply !== "hang" && !response.destroyed) send(response, reply)
  }

  async #answer(received: Received, response: ServerResponse): Promise<Reply | "hang"> {
    for (const script of this.#scripts) {
      const reply = await script(received)
      if (reply !== undefined) return reply
    }
    if (received.path === "/v1/jobs/poll") return { body: { jobs: await this.#poll(received.body, response) } }
    if (received.path === "/v1/jobs/exchange") return { body: this.#exchange(received.body) }
    if (received.path.endsWith("/heartbeat")) return { body: { lockExpiresAt: "2025-01-01T00:00:30.000Z" } }
    return { status: 204 }
  }

  /** Like the engine, it holds a waiting poll until there is a job, and claims nothing for a caller that left. */
  async #poll(body: Partial<PollOptions>, response: ServerResponse): Promise<Job[]> {
    while (this.#offered.length === 0 && (body.waitSeconds ?? 0) > 0 && !response.destroyed)
      await new Promise<void>((resolve) => {
        this.#pollers.push(resolve)
        response.on("close", resolve)
      })
    return response.destroyed ? [] : this.#offered.splice(0, body.maxJobs ?? 10)
  }

  #exchange(body: ExchangeRequest): unknown {
    const reports = [...(body.completed ?? []), ...(body.failed ?? [])]
    const results = reports.map(({ jobId }) => ({ jobId, outcome: "accepted" }))
    return { results, jobs: body.poll ? this.#offered.splice(0, body.poll.maxJobs ?? 10) : [] }
  }
}

function reportsOf({ path, body }: Received): SentReport[] {
  const single = /^\/v1\/jobs\/([^/]+)\/(complete|fail)$/.exec(path)
  if (single) return [{ ...body, jobId: single[1]!, kind: single[2] === "fail" ? "failed" : "completed" }]
  if (path !== "/v1/jobs/exchange") return []
  return [
    ...(body.completed ?? []).map((report) => ({ ...report, kind: "completed" as const })),
    ...(body.failed ?? []).map((report) => ({ ...report, kind: "failed" as const })),
  ]
}

function send(response: ServerResponse, reply: Reply): void {
  const body = reply.text ?? (reply.body === undefined ? "" : JSON.stringify(reply.body))
  const status = reply.status ?? 200
  response.writeHead(status, { "content-type": "application/json", ...reply.headers })
  response.end(body)
}

const matches = (pattern: string, path: string): boolean =>
  pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern
