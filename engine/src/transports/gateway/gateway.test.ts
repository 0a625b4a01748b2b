// What is forwarded goes through the same door as every call: host, origin, credential, scope, request id, log.
import { once } from "node:events"
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { loadContract } from "../rest/test-support/contract.ts"
import { rawConnection, rawRequest } from "../rest/test-support/raw-http.ts"
import { createTestServer, type TestServer, TIMEOUTS } from "../rest/test-support/test-server.ts"
import { forwardingTo, startUpstream, type TestUpstream } from "./test-support/upstream.ts"

const KEYS = {
  mill_user: { id: "u1", name: "shop", scopes: ["gateway"], subject: "key:u1" },
  mill_admin: { id: "a1", name: "root", scopes: ["admin"], subject: "key:a1" },
  mill_worker: { id: "w1", name: "worker", scopes: ["jobs:work"], subject: "key:w1" },
}
const USER = { authorization: "Bearer mill_user" }

let upstream: TestUpstream
let server: TestServer
beforeAll(async () => {
  upstream = await startUpstream()
  const forwarding = forwardingTo(upstream.url, [{ path: "/open", public: true }], { hasPages: true })
  server = await createTestServer({ auth: "required", keys: KEYS, forwarding })
})
afterAll(async () => {
  await server.close()
  await server.options.forwarding?.gateway.close()
  await upstream.close()
})
beforeEach(() => {
  upstream.asked.splice(0)
  server.lines.splice(0)
})

const statusOf = (answer: string): number => Number(answer.slice(9, 12))
const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close", ...headers, "", ""].join("\r\n")

describe("E-19: who may call", () => {
  test.each([
    [{}, 401],
    [{ authorization: "Bearer mill_nobody" }, 401],
    [{ authorization: "Bearer mill_worker" }, 403],
    [USER, 200],
    [{ authorization: "Bearer mill_admin" }, 200],
  ])("%j: %i", async (headers, status) => {
    const reply = await server.call("GET /gateway/proxy", { headers })
    expect(reply.status).toBe(status)
    expect(upstream.asked).toHaveLength(status === 200 ? 1 : 0)
    if (status === 401) expect(reply.headers.get("www-authenticate")).toBe("Bearer")
  })

  test("a public upstream asks for none, under whatever spelling the others have", async () => {
    expect((await server.call("GET /gateway/open/x")).status).toBe(200)
    for (const path of ["/gateway/openx", "/gateway/", "/gateway/Opens"])
      expect((await server.call(`GET ${path}`)).status).toBe(401)
  })

  test("SEC-47: what is not forwarded is judged like a private path: a stranger is not told what is wrong with it", async () => {
    for (const path of ["/gateway/open//x", "/gateway/open/%2e%2e/x"]) {
      expect(statusOf(await rawRequest(server.url, get(path)))).toBe(401)
      expect(statusOf(await rawRequest(server.url, get(path, "Authorization: Bearer mill_user")))).toBe(400)
    }
    expect(upstream.asked).toEqual([])
  })

  test("E-19, SEC-46: an upstream is told who calls, and is not shown the credential", async () => {
    const forged = { proxy: "http://proxy.test", "remote-user": "root", x_remote_user: "root" }
    const headers = {
      ...USER,
      cookie: "a=1; millrace-session=secret",
      "x-millrace-role": "ADMIN",
      "x-request-id": "my-id.1",
      ...forged,
    }
    const reply = await server.call("GET /gateway/x", { headers })
    expect(reply.headers.get("x-request-id")).toBe("my-id.1")
    const [asked] = upstream.asked
    expect(asked?.headers).toMatchObject({
      "x-millrace-client": "key:u1",
      "x-millrace-role": "USER",
      "x-request-id": "my-id.1",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "http",
      "x-forwarded-host": new URL(server.url).host,
      cookie: "a=1",
    })
    for (const name of ["authorization", ...Object.keys(forged)]) expect(asked?.headers).not.toHaveProperty(name)
  })

  test("SEC-46: on a public route another server's credential goes on, and a key of ours does not", async () => {
    await server.call("GET /gateway/open/x", { headers: { authorization: "Basic dTpw" } })
    await server.call("GET /gateway/open/x", {
      headers: { authorization: "Bearer mill_user", "x-millrace-client": "key:a1" },
    })
    await server.call("GET /gateway/open/x", { headers: { authorization: 'Token "mill_user"' } })
    expect(upstream.asked.map(({ headers }) => headers.authorization)).toEqual(["Basic dTpw", undefined, undefined])
    expect(upstream.asked[1]?.headers).not.toHaveProperty("x-millrace-client")
  })

  test("E-02, SEC-47: a request id that is unfit to be logged is replaced, for the upstream too", async () => {
    const answer = await rawRequest(
      server.url,
      get("/gateway/x", "Authorization: Bearer mill_user", "X-Request-ID: a b;c"),
    )
    expect(statusOf(answer)).toBe(200)
    const id = upstream.asked[0]?.headers["x-request-id"]
    expect(id).not.toBe("a b;c")
    expect(answer).toContain(`x-request-id: ${id}`)
  })
})

describe("E-19: what is forwarded", () => {
  test.each([
    ["POST", "text/x-own", "body of any type"],
    ["PUT", "application/json", "{ not json"],
    ["PATCH", "multipart/form-data; boundary=x", "--x--"],
    ["DELETE", undefined, "even here"],
    ["POST", undefined, "without a type"],
    ["PROPFIND", "application/xml", "<a/>"],
  ])("%s with content type %s", async (method, type, body) => {
    const lines = [
      `${method} /gateway/a/b?c=d HTTP/1.1`,
      "Host: localhost",
      "Connection: close",
      "Authorization: Bearer mill_user",
      ...(type ? [`Content-Type: ${type}`] : []),
      `Content-Length: ${body.length}`,
    ]
    const answer = await rawRequest(server.url, `${lines.join("\r\n")}\r\n\r\n${body}`)
    expect(statusOf(answer)).toBe(200)
    expect(answer).toContain(`${method} /a/b?c=d ${body}`)
    expect(upstream.asked[0]?.headers["content-type"]).toBe(type)
  })

  test("a body larger than the engine's own routes take", async () => {
    const raw = Buffer.alloc(3 << 20, "x")
    const reply = await server.call("POST /gateway/big", { raw, headers: USER })
    expect(reply.status).toBe(200)
    expect(reply.text).toHaveLength("POST /big ".length + raw.length)
  })

  test("a page of an upstream gets an origin of its own where the dashboard is on the same port", async () => {
    const reply = await server.call("GET /gateway/x", { headers: USER })
    expect(reply.headers.get("content-security-policy")).toMatch(/^sandbox /)
    expect(reply.headers.get("content-security-policy")).not.toContain("allow-same-origin")
    expect(reply.headers.get("cache-control")).toBeNull()
  })

  test("the trace goes on", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    await server.call("GET /gateway/x", { headers: { ...USER, traceparent } })
    expect(upstream.asked[0]?.headers.traceparent).toBe(traceparent)
  })

  test("the log and the metrics name the route, and no path", async () => {
    await server.call("GET /gateway/secret/path?token=x", { headers: USER })
    await expect
      .poll(() => server.lines.find(({ msg }) => msg === "request"))
      .toMatchObject({ route: "/gateway/{path}", status: 200, caller: "shop", method: "GET" })
    expect(JSON.stringify(server.lines)).not.toContain("secret")
  })

  test("E-02: a call that was answered has one line in the log, and is counted once", async () => {
    // Three on one connection: the first has closed when the third is answered.
    const calls = ["/gateway/a", "/gateway/b", "/gateway/c"].map((path) => get(path, "Authorization: Bearer mill_user"))
    const connection = await rawConnection(server.url)
    for (const text of calls.slice(0, 2)) {
      connection.write(text.replace("Connection: close", "Connection: keep-alive"))
      await once(connection.socket, "data")
    }
    connection.write(calls[2] as string)
    await connection.closed()
    await expect.poll(() => upstream.asked).toHaveLength(3)
    const ids = () => server.lines.filter(({ msg }) => msg === "request").map(({ requestId }) => requestId)
    await expect.poll(() => new Set(ids()).size).toBe(3)
    expect(ids()).toHaveLength(3)
  })

  test("a caller that does not wait for the answer is in the log with 499, and its upstream is no longer asked", async () => {
    let isClosed = false
    const silent = await startUpstream((_, response) => {
      response.once("close", () => {
        isClosed = true
      })
    })
    const forwarding = forwardingTo(silent.url)
    const own = await createTestServer({ engine: server.engine, auth: "required", keys: KEYS, forwarding })
    const caller = await rawConnection(own.url)
    caller.write(get("/gateway/x", "Authorization: Bearer mill_user"))
    await expect.poll(() => silent.asked).toHaveLength(1)
    caller.socket.destroy()
    await expect
      .poll(() => own.lines.filter(({ msg }) => msg === "request"))
      .toMatchObject([{ route: "/gateway/{path}", status: 499, caller: "shop" }])
    await expect.poll(() => isClosed).toBe(true)
    await own.close()
    await forwarding.gateway.close()
    await silent.close()
  })

  test("Expect: 100-continue without a body: nothing is asked for", async () => {
    const text = get("/gateway/x", "Authorization: Bearer mill_user", "Expect: 100-continue")
    expect(statusOf(await rawRequest(server.url, text))).toBe(200)
  })

  test("Expect: 100-continue: a stranger is refused before it sends its body, a caller is asked for it", async () => {
    const head = (more: string) =>
      `POST /gateway/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 4\r\n${more}\r\n`
    const stranger = await rawConnection(server.url)
    stranger.write(head(""))
    const refused = await stranger.closed()
    expect(statusOf(refused)).toBe(401)
    expect(refused).not.toContain("100 Continue")
    const caller = await rawConnection(server.url)
    caller.write(head("Authorization: Bearer mill_user\r\n"))
    await once(caller.socket, "data")
    caller.write("body")
    const answer = await caller.closed()
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200/)
    expect(answer).toContain("POST /x body")
    expect(upstream.asked[0]?.headers).not.toHaveProperty("expect")
  })
})

test("C-33: what is forwarded is in no contract of ours, which says so; what the gateway refuses has the shape of every refusal", async () => {
  const contract = loadContract()
  expect([...contract.operations.keys()].filter((operation) => operation.includes("/gateway"))).toEqual([])
  expect(contract.document.info.description.replaceAll(/\s+/g, " ")).toContain("`/gateway/*` is not in this contract")
  const { body, headers } = await server.call("GET /gateway/x")
  expect(body).toEqual({
    error: "unauthenticated",
    message: expect.any(String),
    requestId: headers.get("x-request-id"),
  })
})

describe("SEC-03: web pages of others", () => {
  test("a host that is not ours", async () => {
    const text = get("/gateway/x", "Authorization: Bearer mill_user").replace("localhost", "evil.test")
    expect(statusOf(await rawRequest(server.url, text))).toBe(421)
  })

  test.each(["POST", "DELETE"])("%s from another origin", async (method) => {
    const reply = await server.call(`${method} /gateway/x`, { headers: { ...USER, origin: "https://evil.test" } })
    expect(reply.status).toBe(403)
    expect(upstream.asked).toEqual([])
  })

  test("a WebSocket from another origin", async () => {
    const upgrade = [
      "Upgrade: websocket",
      "Sec-WebSocket-Key: x",
      "Authorization: Bearer mill_user",
      "Origin: https://evil.test",
    ]
    const text = get("/gateway/x", ...upgrade).replace("Connection: close", "Connection: Upgrade")
    expect(statusOf(await rawRequest(server.url, text))).toBe(403)
    expect(upstream.asked).toEqual([])
  })
})

describe("SEC-47: tricks", () => {
  const user = "Authorization: Bearer mill_user"
  test.each([
    [get("/gateway/../v1/instances", user), 400],
    [get("/gateway/%2e%2e/v1/instances", user), 400],
    [get("http://inner.test/gateway/x", user), 400],
    [get("/%67ateway/x", user), 404],
    [get("/gateway/x", user, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA"), 400],
    [get("/gateway/x", user, "Upgrade: h2c").replace("Connection: close", "Connection: Upgrade"), 400],
    [get("/gateway/x", user, "Content-Length: 1", "Transfer-Encoding: chunked"), 400],
    [get("/gateway/x", user, "Host: inner.test"), 400],
    [get("/gateway/x", user, "Authorization: Basic dTpw"), 400],
    [get("/gateway/open/x", "Authorization: Basic dTpw", "aUTHORIZATION: Bearer mill_user"), 400],
    [get("/v1/session", user, user), 400],
    [get("/gateway/x", user).replace("GET", "TRACE"), 405],
  ])("%j: %i", async (text, status) => {
    expect(statusOf(await rawRequest(server.url, text))).toBe(status)
    expect(upstream.asked).toEqual([])
  })

  test("a request of another route that asks for an upgrade is answered as it would be without", async () => {
    const text = get("/healthz", "Upgrade: h2c").replace("Connection: close", "Connection: Upgrade")
    expect(statusOf(await rawRequest(server.url, text))).toBe(200)
  })

  test("an upgrade with a body, which nobody would read", async () => {
    const text = get("/v1/instances", user, "Upgrade: websocket", "Content-Length: 2").replace(
      "Connection: close",
      "Connection: Upgrade",
    )
    expect(statusOf(await rawRequest(server.url, `${text}{}`))).toBe(400)
  })
})

describe("E-19: failures are told in the words of the catalogue", () => {
  test.each([
    ["refused", 502, "bad-gateway"],
    ["slow", 504, "gateway-timeout"],
  ])("%s: %i", async (kind, status, code) => {
    const slow = await startUpstream(() => {})
    const timeouts = { connectMs: 60_000, headersMs: 20, idleMs: 60_000 }
    const forwarding = forwardingTo(slow.url, [{ path: "/x", timeouts }])
    if (kind === "refused") await slow.close()
    const own = await createTestServer({ engine: server.engine, forwarding })
    const reply = await own.call("GET /gateway/x")
    expect(reply.status).toBe(status)
    expect(reply.body).toMatchObject({ error: code, requestId: reply.headers.get("x-request-id") })
    expect(reply.text).not.toContain("127.0.0.1")
    await own.close()
    await forwarding.gateway.close()
    if (kind === "slow") await slow.close()
  })

  test("without an upstream there is no such route", async () => {
    const own = await createTestServer({ engine: server.engine })
    expect((await own.call("GET /gateway/x")).status).toBe(404)
    await own.close()
  })
})

test("E-08, E-38: the limit of the class gateway holds for private and for public upstreams", async () => {
  const forwarding = forwardingTo(upstream.url, [{ path: "/open", public: true }])
  const guardEnv = { WE_GUARD_LIMITS: "gateway=2/60s" }
  const own = await createTestServer({ engine: server.engine, auth: "required", keys: KEYS, forwarding, guardEnv })
  for (const [path, headers] of [["/gateway", USER] as const, ["/gateway/open/x", {}] as const]) {
    const statuses: number[] = []
    for (let call = 0; call < 3; call++) statuses.push((await own.call(`GET ${path}`, { headers })).status)
    expect(statuses).toEqual([200, 200, 429])
  }
  expect(upstream.asked.map(({ url }) => url)).toEqual(["/", "/", "/open/x", "/open/x"])
  await own.close()
  await forwarding.gateway.close()
})

describe("streams", () => {
  test("E-19: a public upstream streams to a caller without a credential, and goes on when one with a key is cut off", async () => {
    const events = await startUpstream((_, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n"),
    )
    const keys: Record<string, (typeof KEYS)["mill_user"]> = { mill_user: KEYS.mill_user }
    const forwarding = forwardingTo(events.url, [{ path: "/open", public: true }])
    const own = await createTestServer({ engine: server.engine, auth: "required", keys, forwarding })
    const open = async (path: string, headers = {}) => {
      const sent = httpRequest(`${own.url}/gateway/${path}`, { headers })
        .on("error", () => {})
        .end()
      const [answer] = (await once(sent, "response")) as [IncomingMessage]
      const [first] = await once(
        answer.on("error", () => {}),
        "data",
      )
      expect([answer.statusCode, String(first)]).toEqual([200, "data: first\n\n"])
      return answer.resume()
    }
    const strangers = [await open("open/a"), await open("open/b", { authorization: "Bearer mill_nobody" })]
    const caller = await open("private", USER)
    delete keys.mill_user
    // By then callers have been looked at again.
    await expect.poll(() => caller.destroyed).toBe(true)
    expect(strangers.map(({ destroyed }) => destroyed)).toEqual([false, false])
    await own.close()
    await expect.poll(() => strangers.map(({ destroyed }) => destroyed)).toEqual([true, true])
    await forwarding.gateway.close()
    await events.close()
  })

  test("E-19: a stream may be silent for longer than a connection may that waits for its answer", async () => {
    const streams: ServerResponse[] = []
    const events = await startUpstream(({ url }, response) => {
      if (url === "/silent") return
      streams.push(response)
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n")
    })
    const forwarding = forwardingTo(events.url)
    const timeouts = { ...TIMEOUTS, writeMs: 200 }
    const own = await createTestServer({ engine: server.engine, auth: "required", keys: KEYS, forwarding, timeouts })
    const stream = await rawConnection(own.url)
    stream.write(get("/gateway/events", "Authorization: Bearer mill_user"))
    await once(stream.socket, "data")
    // This one waits for its answer, began later, and is cut off: the time is over for both.
    expect(await rawRequest(own.url, get("/gateway/silent", "Authorization: Bearer mill_user"))).toBe("")
    streams[0]?.end("data: second\n\n")
    expect(await stream.closed()).toContain("data: second")
    await own.close()
    await forwarding.gateway.close()
    await events.close()
  })

  test.each([
    [{ perCaller: 1, total: 5 }, 429, "rate-limited"],
    [{ perCaller: 5, total: 1 }, 503, "unavailable"],
  ])("E-19: one WebSocket too many of a public upstream, %j: %i", async (websockets, status, code) => {
    const chat = await startUpstream()
    chat.server.on("upgrade", (_request, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
      socket.on("error", () => {}).on("end", () => socket.end())
    })
    const forwarding = forwardingTo(chat.url, [{ path: "/open", public: true, websockets }])
    const own = await createTestServer({ engine: server.engine, auth: "required", keys: KEYS, forwarding })
    const upgrade = get("/gateway/open/chat", "Upgrade: websocket").replace("Connection: close", "Connection: Upgrade")
    const first = await rawConnection(own.url)
    first.write(upgrade)
    await once(first.socket, "data")
    const refused = await rawRequest(own.url, upgrade)
    expect([statusOf(refused), refused]).toEqual([status, expect.stringMatching(`"error":"${code}"`)])
    expect(refused.toLowerCase()).toContain("retry-after: ")
    expect(forwarding.gateway.websockets).toBe(1)
    first.socket.destroy()
    await expect.poll(() => forwarding.gateway.websockets).toBe(0)
    await own.close()
    await forwarding.gateway.close()
    await chat.close()
  })

  test("SEC-17: a WebSocket and a stream of events end when their caller may no longer call, and when the server stops", async () => {
    const events = await startUpstream((_, response) =>
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
    )
    events.server.on("upgrade", (_request, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
      socket.on("error", () => {}).on("end", () => socket.end())
    })
    const keys: Record<string, (typeof KEYS)["mill_user"]> = { mill_user: KEYS.mill_user, mill_other: KEYS.mill_user }
    const forwarding = forwardingTo(events.url)
    const own = await createTestServer({ engine: server.engine, auth: "required", keys, forwarding })
    const ask = async (authorization: string) => {
      const sent = httpRequest(`${own.url}/gateway/events`, { headers: { authorization } }).end()
      const [answer] = (await once(sent, "response")) as [IncomingMessage]
      sent.on("error", () => {})
      return answer.on("error", () => {}).resume()
    }
    const socket = async (authorization: string) => {
      const connection = await rawConnection(own.url)
      const head = get("/gateway/chat", `Authorization: ${authorization}`, "Upgrade: websocket")
      connection.write(head.replace("Connection: close", "Connection: Upgrade"))
      await once(connection.socket, "data")
      return connection
    }
    const [revoked, kept] = [await ask("Bearer mill_user"), await ask("Bearer mill_other")]
    const [revokedSocket, keptSocket] = [await socket("Bearer mill_user"), await socket("Bearer mill_other")]
    expect(forwarding.gateway.openStreams).toBe(4)
    delete keys.mill_user
    await expect.poll(() => [revoked.destroyed, revokedSocket.socket.destroyed]).toEqual([true, true])
    expect([kept.destroyed, keptSocket.socket.destroyed]).toEqual([false, false])
    await own.close()
    await expect.poll(() => [kept.destroyed, keptSocket.socket.destroyed]).toEqual([true, true])
    await expect.poll(() => own.lines.filter(({ msg }) => msg === "request").map(({ status }) => status)).toContain(101)
    await forwarding.gateway.close()
    await events.close()
  })
})
