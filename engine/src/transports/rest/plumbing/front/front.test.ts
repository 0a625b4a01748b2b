// Hot routes are answered by the front or by Fastify, and nobody can tell which.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { linear, service, workflow } from "../../../../test-support/definitions.ts"
import { createTestEngine, type TestEngine } from "../../../../test-support/test-engine.ts"
import type { Call, Route } from "../../../calls/route.ts"
import { everyRoute, pathFor } from "../../test-support/every-route.ts"
import { rawConnection, rawRequest } from "../../test-support/raw-http.ts"
import { createTestServer, type TestServer, TIMEOUTS } from "../../test-support/test-server.ts"
import { createHttpServer, type RestServer } from "../http-server.ts"
import { HotRoutes } from "./hot-routes.ts"

const KEY = "mill_good"
const ORIGIN = "https://app.example.com"
const WORKER = { id: "w", name: "w", scopes: ["jobs:work", "jobs:write", "instances:write"] }
const keys = { [KEY]: WORKER, mill_none: { ...WORKER, scopes: [] } }
const hotRoutes = everyRoute.filter(({ hot }) => hot)

let engine: TestEngine
let server: TestServer

beforeAll(async () => {
  engine = await createTestEngine()
  await engine.upload(linear())
  await engine.upload(workflow("list", [service("only")], { execution: "steplist" }))
  server = await createTestServer({ engine, auth: "required", keys, corsOrigins: [ORIGIN] })
})
afterAll(async () => {
  await server.close()
  await engine.close()
})

interface Asked {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

const JSON_TYPE = { "content-type": "application/json" }

function requestOf({ path, headers = {}, body }: Asked, framing: string, parts: readonly (string | Buffer)[]): Buffer {
  const all = { host: "localhost", connection: "close", authorization: `Bearer ${KEY}`, ...JSON_TYPE, ...headers }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]))
  const head = `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n${framing}\r\n\r\n`
  return Buffer.concat([head, ...(body.length > 0 ? parts : [])].map((part) => Buffer.from(part)))
}

/** With its length the front takes it; in chunks Fastify does. */
const forFront = (asked: Asked) => requestOf(asked, `content-length: ${Buffer.byteLength(asked.body)}`, [asked.body])
const forFastify = (asked: Asked) => {
  const size = Buffer.byteLength(asked.body).toString(16)
  return requestOf(asked, "transfer-encoding: chunked", [`${size}\r\n`, asked.body, "\r\n0\r\n\r\n"])
}

async function answerTo(request: Buffer): Promise<string> {
  const connection = await rawConnection(server.url)
  connection.socket.write(request)
  return anonymous(await connection.closed())
}

/** Without what differs between any two answers. */
const anonymous = (answer: string): string =>
  answer
    .replaceAll(/^date: .*$/gim, "date")
    .replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, "ULID")
    .replaceAll(/"\w+At":"[^"]+"|"\w+_at":"[^"]+"/g, "time")

const refusals: readonly (readonly [string, Partial<Asked>])[] = [
  ["no key", { headers: { authorization: "" } }],
  ["a key that is not known", { headers: { authorization: "Bearer mill_bad" } }],
  ["a key without the scope", { headers: { authorization: "Bearer mill_none" } }],
  ["another host", { headers: { host: "evil.test" } }],
  ["a web page of another origin", { headers: { origin: "https://evil.test" } }],
  ["a web page that may call", { headers: { origin: ORIGIN } }],
  ["a form", { headers: { "content-type": "text/plain" } }],
  ["a compressed body", { headers: { "content-encoding": "gzip" } }],
  ["a body that is cut off", { body: '{"a": "b' }],
  ["a body that is no object", { body: "[1]" }],
  ["a body that is no JSON", { body: "a=b" }],
  ["a body of blanks", { body: "  " }],
  ["a body that is not UTF-8", { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
  ["a key that changes prototypes", { body: '{"__proto__": {}}' }],
  ["a body that nests too deep", { body: `{"a": ${"[".repeat(40)}${"]".repeat(40)}}` }],
  ["a request id of its own", { headers: { "x-request-id": "mine" }, body: "{" }],
  ["fields that are not known", { body: '{"Definitionid": "linear", "workerid": "w"}' }],
]

describe.each(hotRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_, route) => {
  test.each(refusals)("C-32: %s is answered alike by the front and by Fastify", async (_, asked) => {
    const whole = { path: pathFor(route.path), body: "{}", ...asked }
    const answer = await answerTo(forFront(whole))
    expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect(answer).toBe(await answerTo(forFastify(whole)))
  })
})

test.each([
  ["/v1/intake/list", { "idempotency-key": "same" }, '{"email": "ada@example.org"}', 202],
  ["/v1/instances", {}, '{"definitionId": "linear", "variables": {"name": "Ü"}}', 201],
  ["/v1/instances", { "idempotency-key": "again" }, '{"definitionId": "linear"}', 201],
  ["/jobs", {}, '{"type": "email", "payload": {"to": "ada"}}', 202],
  ["/jobs/bulk", {}, '{"jobs": [{"type": "email", "payload": {}}]}', 202],
  ["/v1/jobs/poll", {}, '{"workerId": "w", "jobTypes": ["nothing"]}', 200],
  ["/v1/jobs/exchange", {}, '{"workerId": "w"}', 200],
])("C-01: %s with %j is done alike by the front and by Fastify", async (path, headers, body, status) => {
  // A repeat of a key is told so, to whoever comes second.
  const answers = [
    await answerTo(forFront({ path, headers, body })),
    await answerTo(forFastify({ path, headers, body })),
  ]
  expect(answers[0]).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answers[0]).toBe(answers[1]?.replace("idempotent-replayed: true\r\n", ""))
})

test("routes of one POST are hot, and each of them answers at once and as a whole", () => {
  expect(hotRoutes.length).toBeGreaterThan(5)
  for (const { method, path, streams, openEnded } of hotRoutes) {
    expect([method, streams, openEnded]).toEqual(["POST", undefined, undefined])
    expect(path.match(/\{/g)?.length ?? 0).toBeLessThan(2)
  }
})

describe("which requests the front takes", () => {
  const routes = new HotRoutes<string>()
  for (const path of ["/v1/jobs/poll", "/v1/jobs/{jobId}/complete", "/v1/intake/{definitionId}"])
    routes.add({ path }, path)

  test.each([
    ["/v1/jobs/poll", "/v1/jobs/poll", {}],
    ["/v1/jobs/01JN-0001/complete", "/v1/jobs/{jobId}/complete", { jobId: "01JN-0001" }],
    ["/v1/intake/a_b:c-1", "/v1/intake/{definitionId}", { definitionId: "a_b:c-1" }],
  ])("%s is for %s", (url, mounted, params) => {
    expect(routes.find(url)).toMatchObject({ mounted, params })
  })

  // An escape, a slash and a query have rules of their own, and Fastify has them.
  test.each([
    "/v1/jobs/poll?a=b",
    "/v1/jobs/poll/",
    "/v1/intake/",
    "/v1/intake/a%20b",
    "/v1/intake/a/b",
    "/v1/intake/a?linkingId=b",
    "/v1/intake/a.b",
    `/v1/intake/${"a".repeat(257)}`,
    "/v1/jobs/complete",
    "/V1/jobs/poll",
    "//v1/jobs/poll",
    "http://localhost/v1/jobs/poll",
  ])("%s is left to Fastify", (url) => {
    expect(routes.find(url)).toBeUndefined()
  })
})

describe("the wire", () => {
  const intake = (key: string, more = "") =>
    `POST /v1/intake/list HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\n${more}Content-Length: 2\r\n\r\n`
  const CLOSE = "Connection: close\r\n"

  test("requests that come in one piece are answered in their order", async () => {
    const answer = await rawRequest(server.url, `${intake("p1")}{}${intake("p2")}{}${intake("p3", CLOSE)}{}`)
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)|"idempotencyKey":"(\w+)"/g)].map(([, a, b]) => a ?? b)).toEqual([
      "202",
      "p1",
      "202",
      "p2",
      "202",
      "p3",
    ])
  })

  test("a body may come byte by byte, and after leave to send it", async () => {
    const connection = await rawConnection(server.url)
    let answer = ""
    const came = (text: string) =>
      new Promise<void>((resolve) => {
        connection.socket.on("data", (chunk) => {
          answer += chunk
          if (answer.includes(text)) resolve()
        })
      })
    const leave = came("100 Continue")
    connection.write(intake("bytewise", `Expect: 100-continue\r\n${CLOSE}`))
    await leave
    connection.write("{")
    connection.write("}")
    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 .*"bytewise"/s)
  })

  test("F29: a caller that leaves in the middle of a body harms nobody", async () => {
    const connection = await rawConnection(server.url)
    connection.write(intake("gone").replace("Content-Length: 2", "Content-Length: 20"))
    connection.socket.end("{")
    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 400 .*"error":"bad-request"/s)
    expect(await rawRequest(server.url, `${intake("next", CLOSE)}{}`)).toMatch(/^HTTP\/1\.1 202 /)
  })

  test("F29: a body that does not come in time is cut off", async () => {
    const hasty = await createTestServer({ engine, keys, timeouts: { ...TIMEOUTS, readMs: 300 } })
    const connection = await rawConnection(hasty.url)
    connection.write(`${intake("slow")}{`)
    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 400 .*"error":"bad-request"/s)
    await hasty.close()
  })
})

describe("beside Fastify", () => {
  const asked: Call[] = []
  let own: RestServer | undefined
  let url = ""
  let answer = () => {}
  const isOpen = async () => {
    const connection = await rawConnection(url).catch(() => undefined)
    connection?.socket.destroy()
    return connection !== undefined
  }

  beforeAll(async () => {
    const route: Route = {
      method: "POST",
      path: "/hot/{name}",
      permission: "anyone",
      hot: true,
      handle: (call) => {
        asked.push(call)
        if (call.params.name !== "waits") return { status: 204 }
        return new Promise((resolve) => {
          answer = () => resolve({ status: 204 })
        })
      },
    }
    own = await createHttpServer(engine.kernel, server.options, [route])
    url = await own.listen(0, "127.0.0.1")
  })
  afterAll(() => own?.close())

  const post = (path: string, more = "") =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}Content-Length: 2\r\n\r\n{}`

  test("a hot request does not reach Fastify; one with a query does", async () => {
    for (const path of ["/hot/a", "/hot/a?b=c"]) await rawRequest(url, post(path, "Connection: close\r\n"))
    // The front's query is one constant for all.
    expect(asked.map(({ query }) => Object.isFrozen(query))).toEqual([true, false])
  })

  test("C-10: while the server closes, what comes on an open connection is served and told to go elsewhere", async () => {
    const connection = await rawConnection(url)
    connection.write(post("/hot/waits"))
    await expect.poll(() => asked.at(-1)?.params.name).toBe("waits")
    const closing = own?.close()
    await expect.poll(isOpen).toBe(false)
    connection.write(post("/hot/after"))
    await expect.poll(() => asked.at(-1)?.params.name).toBe("after")
    answer()
    expect(await connection.closed()).toMatch(/^HTTP\/1\.1 204 .*\r\n\r\nHTTP\/1\.1 204 .*connection: close/is)
    await closing
    own = undefined
  })
})
