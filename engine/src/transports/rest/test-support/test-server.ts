// A REST server on a real engine, for one test file: calls over real HTTP, with the log lines it wrote.
import { loadConfig } from "../../../config.ts"
import { openGuard } from "../../../open-guard.ts"
import type { Principal } from "../../../operations/people/api-keys.ts"
import { Sessions } from "../../../operations/people/sessions.ts"
import { createLogger } from "../../../support/log.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import type { RestOptions } from "../../calls/options.ts"
import { createRestServer } from "../server.ts"
import { loadContract } from "./contract.ts"
import type { Reply } from "./reply.ts"

export type { Reply } from "./reply.ts"

export interface CallOptions {
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Buffer
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
}

export interface TestServer {
  readonly engine: TestEngine
  readonly url: string
  readonly options: RestOptions
  readonly lines: Record<string, unknown>[]
  /** `POST /v1/instances`, and what goes with it. */
  call(route: string, options?: CallOptions): Promise<Reply>
  close(): Promise<void>
}

export const TIMEOUTS = { readMs: 30_000, writeMs: 60_000, idleMs: 120_000, handlerMs: 30_000, shutdownMs: 5_000 }

type Overrides = Partial<RestOptions> & {
  readonly keys?: Readonly<Record<string, Principal>>
  /** An engine that is there already; the caller closes it. */
  readonly engine?: TestEngine
  /** The guard with these settings; without them there is none. */
  readonly guardEnv?: Readonly<Record<string, string>>
}

export async function createTestServer({
  keys = {},
  engine: given,
  guardEnv,
  ...overrides
}: Overrides = {}): Promise<TestServer> {
  const engine = given ?? (await createTestEngine())
  const sessions = new Sessions(engine.kernel.db)
  const guard = guardEnv && (await openGuard(loadConfig({ env: { WE_GUARD: "on", ...guardEnv } }), engine.kernel))
  const lines: Record<string, unknown>[] = []
  const options: RestOptions = {
    auth: "auto",
    bindIsLoopback: true,
    allowedHosts: [],
    corsOrigins: [],
    timeouts: TIMEOUTS,
    log: createLogger({ level: "info", destination: { write: (line) => lines.push(JSON.parse(line)) } }),
    draining: () => false,
    ready: () => true,
    findKey: async (key) => keys[key],
    sessions,
    guarding: guard?.guarding,
    shownSettings: () => [{ name: "WE_REST_PORT", value: "8080", source: "default" }],
    ...overrides,
  }
  const server = await createRestServer(engine.kernel, options)
  const url = await server.listen(0, "127.0.0.1")
  return {
    engine,
    url,
    options,
    lines,
    call: async (route, call) => judged(route, await send(url, route, call)),
    async close() {
      await server.close()
      await guard?.stop()
      if (!given) await engine.close()
    },
  }
}

/** Whatever a test is about: no answer of the server may differ from the contract. */
function judged(route: string, reply: Reply): Reply {
  const contract = loadContract()
  const [method, path] = route.split("?", 1)[0]!.split(" ", 2) as [string, string]
  const faults = contract.knows(method, path) ? contract.faultsOf(method, path, reply) : []
  if (faults.length > 0) throw new Error(`not what the contract says:\n${faults.join("\n")}\n${reply.text}`)
  return reply
}

async function send(url: string, route: string, { body, raw, headers, signal }: CallOptions = {}): Promise<Reply> {
  const [method, path] = route.split(" ", 2) as [string, string]
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(payload === undefined ? {} : { body: payload as string }),
    ...(signal ? { signal } : {}),
  })
  const text = await textOf(response)
  const isJson = response.headers.get("content-type")?.includes("json")
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : undefined,
  }
}

/** A stream has no end: its text is what comes up to the first event. */
async function textOf(response: Response): Promise<string> {
  if (!response.body || !response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text()
  let text = ""
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (/^data: .*\n\n/m.test(text)) break
  }
  return text
}
