import { readFileSync } from "node:fs"
import { request } from "node:http"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { wakeupsOf } from "../../../operations/jobs/claim/wakeups.ts"
import { linear } from "../../../test-support/definitions.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { rawConnection, rawRequest } from "../test-support/raw-http.ts"
import { createTestServer, type TestServer, TIMEOUTS } from "../test-support/test-server.ts"

let engine: TestEngine
const open: TestServer[] = []

beforeAll(async () => {
  engine = await createTestEngine()
  await engine.upload(linear())
})
afterAll(() => engine.close())
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function serve(overrides: Parameters<typeof createTestServer>[0] = {}): Promise<TestServer> {
  const server = await createTestServer({ engine, ...overrides })
  open.push(server)
  return server
}

const timeouts = (more: Partial<typeof TIMEOUTS>) => ({ timeouts: { ...TIMEOUTS, ...more } })

/** A handler that says when it has begun, and ends when the test wants. */
function slowReadiness() {
  let asked = () => {}
  let answer: (ready: boolean) => void = () => {}
  const begun = new Promise<void>((resolve) => {
    asked = resolve
  })
  const ended = new Promise<boolean>((resolve) => {
    answer = resolve
  })
  const ready = () => {
    asked()
    return ended
  }
  return { ready, asked: begun, answer }
}

describe("C-10: timeouts", () => {
  test("F29, C-10: a request that does not arrive in time is cut off", async () => {
    const { url } = await serve(timeouts({ readMs: 300 }))
    for (const slow of [
      "POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Ty",
      "POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ]) {
      const connection = await rawConnection(url)
      connection.write(slow)
      expect(await connection.closed()).toMatch(/^HTTP\/1\.1 400 .*"error":"bad-request"/s)
    }
  })

  // Its limit is far below the two minutes that others have.
  test("C-10: an unused connection is closed after its time", { timeout: 100_000 }, async () => {
    const { url } = await serve(timeouts({ idleMs: 200 }))
    const connection = await rawConnection(url)
    connection.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    expect(await connection.closed()).toContain('{"status":"ok"}')
  })

  test("C-10: a handler that takes too long is answered 503", async () => {
    const { call } = await serve({ ...timeouts({ handlerMs: 100 }), ready: () => new Promise(() => {}) })
    const { status, body, headers } = await call("GET /readyz")
    expect([status, body.error, headers.get("retry-after")]).toEqual([503, "unavailable", "1"])
  })

  test("C-10: the wait of a poll is not counted, neither as work nor as silence", async () => {
    // Long enough for what a busy machine needs to look for a job, and shorter than the wait.
    const { call } = await serve(timeouts({ handlerMs: 10_000, writeMs: 10_000 }))
    const body = { workerId: "w", jobTypes: ["nothing"], waitSeconds: 11 }
    expect((await call("POST /v1/jobs/poll", { body })).status).toBe(200)
  })
})

describe("C-10: graceful stop", () => {
  test("C-10: waiting polls are answered at once, then the server is gone", async () => {
    const own = await createTestEngine()
    const server = await createTestServer({ engine: own })
    const body = { workerId: "w", jobTypes: ["nothing"], waitSeconds: 30 }
    const poll = server.call("POST /v1/jobs/poll", { body })
    await expect.poll(() => wakeupsOf(own.kernel).waitingFor()).toContain("nothing")
    wakeupsOf(own.kernel).close()
    // It waits no more, though its half minute is not over.
    expect(wakeupsOf(own.kernel).waitingFor()).not.toContain("nothing")
    expect((await poll).body).toEqual({ jobs: [] })
    await server.close()
    await expect(server.call("GET /healthz")).rejects.toThrow()
    await own.close()
  })

  test("C-10: a request under way is finished, its connection is not used again", async () => {
    const gate = slowReadiness()
    const server = await createTestServer({ engine, ready: gate.ready })
    const reply = server.call("GET /readyz")
    await gate.asked
    const closing = server.close()
    gate.answer(true)
    expect((await reply).body).toEqual({ status: "ready" })
    await closing
  })

  test("C-10: what is not done in time is cut off", async () => {
    const gate = slowReadiness()
    const server = await createTestServer({ engine, ready: gate.ready, ...timeouts({ shutdownMs: 200 }) })
    const reply = server.call("GET /readyz").catch((error: Error) => error.message)
    await gate.asked
    await server.close()
    expect(await reply).toBe("fetch failed")
  })

  test("C-10: a draining server says so, and asks callers to go elsewhere", async () => {
    const { url } = await serve({ draining: () => true })
    const reply = await rawRequest(url, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    expect(reply).toMatch(/^HTTP\/1\.1 503 .*connection: close.*\{"status":"draining"\}/is)
  })
})

describe("C-11: health", () => {
  test("C-11: /healthz is a constant, whatever the state", async () => {
    const { call } = await serve({ ready: () => false, draining: () => true, auth: "required" })
    const { status, text } = await call("GET /healthz")
    expect([status, text]).toEqual([200, '{"status":"ok"}'])
    expect((await call("HEAD /healthz")).status).toBe(200)
  })

  test("C-11: /readyz is a word", async () => {
    expect((await (await serve()).call("GET /readyz")).text).toBe('{"status":"ready"}')
    const { status, text } = await (await serve({ ready: async () => false })).call("GET /readyz")
    expect([status, text]).toEqual([503, '{"status":"unavailable"}'])
  })
})

describe("C-12: CORS", () => {
  const origin = "https://app.example.com"
  const preflight = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "content-type",
  }
  const names = [
    "access-control-allow-origin",
    "access-control-allow-methods",
    "access-control-allow-headers",
    "access-control-max-age",
    "access-control-allow-credentials",
  ]
  const corsOf = (headers: Headers) => names.map((name) => headers.get(name))

  /** fetch keeps Origin to itself. */
  const send = (url: string, method: string, path: string, headers: Record<string, string>) =>
    new Promise<{ status: number; headers: Headers }>((resolve, reject) => {
      const sent = request(url + path, { method, headers }, (response) => {
        response.resume().on("end", () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: new Headers(response.headers as Record<string, string>),
          })
        })
      })
      sent.on("error", reject).end()
    })

  test("C-12: off unless it is configured", async () => {
    const { url } = await serve()
    for (const [method, path] of [
      ["OPTIONS", "/v1/instances"],
      ["GET", "/v1/instances"],
    ] as const) {
      const { status, headers } = await send(url, method, path, preflight)
      expect(status).toBe(method === "GET" ? 200 : 405)
      expect(corsOf(headers)).toEqual([null, null, null, null, null])
    }
  })

  test("C-12: a configured origin gets exactly what was promised", async () => {
    const { url } = await serve({ corsOrigins: [origin] })
    const { status, headers } = await send(url, "OPTIONS", "/v1/instances", preflight)
    expect(status).toBe(204)
    expect(corsOf(headers)).toEqual([
      origin,
      "GET, POST, PUT, PATCH, DELETE, OPTIONS",
      "Accept, Authorization, Content-Type, Idempotency-Key",
      "300",
      null,
    ])
    expect(headers.get("vary")).toBe("Origin")
    const read = await send(url, "GET", "/v1/instances", { origin })
    expect([read.status, ...corsOf(read.headers)]).toEqual([200, origin, null, null, null, null])
    const write = await send(url, "POST", "/v1/jobs/poll", { origin, "content-type": "application/json" })
    expect([write.status, write.headers.get("access-control-allow-origin")]).toEqual([400, origin])
  })

  test("C-12: another origin gets nothing", async () => {
    const { url } = await serve({ corsOrigins: [origin] })
    const foreign = { ...preflight, origin: "https://evil.test" }
    const { status, headers } = await send(url, "OPTIONS", "/v1/instances", foreign)
    expect([status, ...corsOf(headers)]).toEqual([405, null, null, null, null, null])
    expect((await send(url, "POST", "/v1/jobs/poll", { origin: "https://evil.test" })).status).toBe(403)
  })
})

describe("C-13, C-14: the access log", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  test("C-14: a line per request, with the route's pattern and no id in it", async () => {
    const { call, lines } = await serve()
    await call("GET /v1/instances/01JN8Z3V5E8Q2R7W4Y6T9A1B3C", { headers: { "x-request-id": "my.request-1" } })
    await call("GET /v1/definitions/linear")
    expect(lines).toHaveLength(2)
    expect(lines[0]).toEqual({
      level: "warn",
      time: expect.any(String),
      msg: "request",
      requestId: "my.request-1",
      method: "GET",
      route: "/v1/instances/{instanceId}",
      status: 404,
      bytes: expect.any(Number),
      durationMs: expect.any(Number),
      remote: "127.0.0.1",
    })
    expect(lines[1]).toMatchObject({ level: "info", route: "/v1/definitions/{definitionId}", status: 200 })
    expect(lines[1]?.bytes).toBeGreaterThan(100)
  })

  test("C-14: 500 and more is an error, 400 and more a warning", async () => {
    const { call, lines } = await serve({ ready: () => false })
    await call("GET /nowhere")
    await call("GET /readyz")
    expect(lines.map(({ level, status, route }) => [level, status, route])).toEqual([
      ["warn", 404, "unmatched"],
      ["error", 503, "/readyz"],
    ])
  })

  test("C-14: polls that went well are not logged, others are", async () => {
    const { call, lines } = await serve()
    const body = { workerId: "w", jobTypes: ["nothing"] }
    expect((await call("POST /v1/jobs/poll", { body })).status).toBe(200)
    expect((await call("POST /v1/jobs/exchange", { body: { workerId: "w" } })).status).toBe(200)
    expect(lines).toEqual([])
    await call("POST /v1/jobs/poll", { body: {} })
    expect(lines).toMatchObject([{ level: "warn", route: "/v1/jobs/poll", status: 400 }])
  })

  test("C-14: what the dashboard reads while it is open is not logged when it went well; what it changes is", async () => {
    const { call, lines } = await serve()
    const headers = { "sec-fetch-site": "same-origin" }
    expect((await call("GET /v1/definitions/linear", { headers })).status).toBe(200)
    expect(lines).toEqual([])
    await call("GET /v1/definitions/nobody", { headers })
    await call("POST /v1/instances", { headers, body: { definitionId: "linear" } })
    await call("GET /v1/definitions/linear", { headers: { "sec-fetch-site": "none" } })
    expect(lines.map(({ method, status }) => [method, status])).toEqual([
      ["GET", 404],
      ["POST", 201],
      ["GET", 200],
    ])
  })

  test("C-13: traceparent is carried into the line, if it is one", async () => {
    const { call, lines } = await serve()
    const bad = ["nonsense", traceparent.toUpperCase(), `${traceparent}-more`, "00-\u00fc"]
    for (const value of [traceparent, ...bad])
      await call("GET /v1/definitions/linear", { headers: { traceparent: value } })
    expect(lines.map((line) => line.traceparent)).toEqual([traceparent, undefined, undefined, undefined, undefined])
  })

  test("C-117: durations are measured under the route's pattern", async () => {
    const { call } = await serve({ metricsOnRest: true })
    await call("GET /v1/instances/01JN8Z3V5E8Q2R7W4Y6T9A1B3C")
    for (let n = 0; n < 20; n++) await call(`GET /nowhere/${n}`)
    await call("PROPFIND /v1/instances").catch(() => {})
    const { text } = await call("GET /metrics")
    expect(text).toMatch(
      /http_requests_duration_seconds_count\{method="GET",path="\/v1\/instances\/\{instanceId\}",status="404"\} \d/,
    )
    const paths = new Set(
      [...text.matchAll(/http_requests_duration_seconds_count\{method="(\w+)",path="([^"]+)"/g)].map(
        ([, , path]) => path,
      ),
    )
    expect([...paths].filter((path) => path?.startsWith("/nowhere"))).toEqual([])
    expect(paths).toContain("unmatched")
  })
})

describe("C-32: errors", () => {
  test("C-32: the envelope is error, message and the request's id, which is also in the header", async () => {
    const { call } = await serve()
    const { status, body, headers } = await call("GET /v1/definitions/nobody")
    expect(status).toBe(404)
    expect(Object.keys(body)).toEqual(["error", "message", "requestId"])
    expect(headers.get("x-request-id")).toBe(body.requestId)
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
  })

  test("C-111: every answer tells the engine's version, refusals included", async () => {
    const { call } = await serve()
    const versions = ["GET /healthz", "GET /v1/definitions/nobody", "GET /nowhere"].map(async (route) =>
      (await call(route)).headers.get("millrace-version"),
    )
    const { version } = JSON.parse(readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"))
    expect(await Promise.all(versions)).toEqual([version, version, version])
  })

  test.each(["A-Za.z_0-9", "x", "x".repeat(64)])("C-32: the caller's request id %s is kept", async (id) => {
    const { call } = await serve()
    const { body, headers } = await call("GET /v1/definitions/nobody", { headers: { "x-request-id": id } })
    expect([body.requestId, headers.get("x-request-id")]).toEqual([id, id])
    expect(
      (await call("GET /v1/definitions/linear", { headers: { "x-request-id": id } })).headers.get("x-request-id"),
    ).toBe(id)
  })

  test.each(["", "x".repeat(65), "a b", "a\tb", "<script>", "\u00fc", "a,b"])(
    "C-32: the request id %j is replaced",
    async (id) => {
      const { call } = await serve()
      const { headers } = await call("GET /v1/definitions/nobody", { headers: { "x-request-id": id } })
      expect(headers.get("x-request-id")).toMatch(/^[0-9A-Z]{26}$/)
    },
  )

  test.each([
    ["truncated JSON", '{"definitionId": "lin', 400, "bad-request"],
    ["no JSON", "definitionId=linear", 400, "bad-request"],
    ["a NUL", '{"definitionId": "lin\\u0000ear"}', 400, "bad-request"],
    ["half of a surrogate pair", '{"definitionId": "\\ud800"}', 400, "bad-request"],
    ["__proto__", '{"definitionId": "linear", "variables": {"__proto__": {"a": 1}}}', 400, "bad-request"],
    ["a number beyond doubles", '{"definitionId": "linear", "variables": {"n": 1e400}}', 400, "bad-request"],
    [
      "an integer past 2^53",
      '{"definitionId": "linear", "variables": {"n": 12345678901234567890}}',
      400,
      "bad-request",
    ],
    ["a key twice", '{"definitionId": "linear", "definitionId": "other"}', 400, "bad-request"],
    [
      "33 levels",
      `{"definitionId": "linear", "variables": {"n": ${"[".repeat(33)}${"]".repeat(33)}}}`,
      400,
      "bad-request",
    ],
    ["20,000 levels", "[".repeat(20_000), 400, "bad-request"],
    ["a byte order mark", '\ufeff{"definitionId": "linear"}', 400, "bad-request"],
    [
      "more than 1 MiB",
      `{"definitionId": "linear", "variables": {"s": "${"x".repeat(1_048_576)}"}}`,
      413,
      "payload-too-large",
    ],
  ])("C-32: %s is refused at the door and changes nothing", async (_, raw, status, code) => {
    const { call } = await serve()
    const before = (await call("GET /v1/instances")).body.total
    const reply = await call("POST /v1/instances", { raw, headers: { "content-type": "application/json" } })
    expect([reply.status, reply.body.error]).toEqual([status, code])
    expect((await call("GET /v1/instances")).body.total).toBe(before)
  })

  test("C-32: bytes that are not UTF-8 are refused, not replaced", async () => {
    const { call } = await serve()
    const raw = Buffer.concat([Buffer.from('{"definitionId": "lin'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    const reply = await call("POST /v1/instances", { raw, headers: { "content-type": "application/json" } })
    expect([reply.status, reply.body.message]).toEqual([400, "the body is not UTF-8"])
  })

  test("C-32: exactly 1 MiB is not too much, chunked or not", async () => {
    const { call, url } = await serve()
    const head = '{"definitionId": "nobody", "variables": {"s": ['
    const items = `"${"x".repeat(200_000)}",`.repeat(5)
    const bodyOf = (size: number) => `${head}${items}"${"y".repeat(size - head.length - items.length - 5)}"]}}`
    const headers = { "content-type": "application/json" }
    expect((await call("POST /v1/instances", { raw: bodyOf(1_048_576), headers })).status).toBe(404)
    expect((await call("POST /v1/instances", { raw: bodyOf(1_048_577), headers })).status).toBe(413)
    const chunked = `POST /v1/instances HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${(1_048_577).toString(16)}\r\n${bodyOf(1_048_577)}\r\n0\r\n\r\n`
    expect(await rawRequest(url, chunked)).toMatch(/^HTTP\/1\.1 413 .*"payload-too-large"/s)
  })

  test("C-32: what is not HTTP is 400 in the same envelope", async () => {
    const { url } = await serve()
    for (const text of [
      "nonsense\r\n\r\n",
      "GET / HTTP/1.1\r\nno colon\r\n\r\n",
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    ]) {
      expect(await rawRequest(url, text)).toMatch(/^HTTP\/1\.1 400 .*"error":"bad-request"/s)
    }
  })

  test("C-32: a path that is not one is 400", async () => {
    const { call } = await serve()
    const { status, body } = await call("GET /v1/instances/%zz")
    expect([status, body.error]).toEqual([400, "bad-request"])
  })
})
