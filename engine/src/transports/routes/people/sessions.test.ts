import { once } from "node:events"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { createApiKey, KeyRing, revokeApiKey } from "../../../operations/people/api-keys.ts"
import { linear } from "../../../test-support/definitions.ts"
import { countRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { openStream } from "../../rest/test-support/event-stream.ts"
import { rawConnection, rawRequest } from "../../rest/test-support/raw-http.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

let engine: TestEngine
let guarded: TestServer
let ada: { id: string; key: string }
const open: TestServer[] = []

beforeAll(async () => {
  engine = await createTestEngine()
  await engine.upload(linear())
  guarded = await serve({ auth: "required" }, false)
  ada = await createApiKey(engine.db, { name: "ada", scopes: ["instances:read", "metrics:read", "jobs:write"] })
})
afterEach(async () => {
  guarded.lines.length = 0
  for (const server of open.splice(0)) await server.close()
})
afterAll(async () => {
  await guarded.close()
  await engine.close()
})

/** With keys as they are in the database, and nothing in its memory. */
async function serve(options: Parameters<typeof createTestServer>[0] = {}, brief = true): Promise<TestServer> {
  const keys = new KeyRing(engine.db)
  const server = await createTestServer({ engine, findKey: (key) => keys.find(key), ...options })
  if (brief) open.push(server)
  return server
}

const signIn = (server = guarded, headers: Record<string, string> = {}, key = ada.key): Promise<Reply> =>
  server.call("POST /v1/session", { body: { key }, headers })
const cookieOf = ({ headers }: Reply): string => headers.getSetCookie()[0]?.split(";", 1)[0] ?? ""
const signedIn = async (server = guarded): Promise<{ cookie: string }> => ({ cookie: cookieOf(await signIn(server)) })

describe("SEC-19: signing in", () => {
  test("SEC-19: with a key makes a cookie that stands for it", async () => {
    expect((await guarded.call("GET /v1/session")).body).toEqual({ keyNeeded: true, signedIn: false })
    expect((await guarded.call("GET /v1/instances")).status).toBe(401)
    const reply = await signIn()
    expect([reply.status, reply.text]).toEqual([204, ""])
    expect(reply.headers.get("cache-control")).toBe("no-store")
    const headers = { cookie: cookieOf(reply) }
    expect((await guarded.call("GET /v1/session", { headers })).body).toEqual({
      keyNeeded: true,
      signedIn: true,
      name: "ada",
      scopes: ["instances:read", "metrics:read", "jobs:write"],
    })
    expect((await guarded.call("GET /v1/instances", { headers })).status).toBe(200)
  })

  test("SEC-27: a session has the scopes of its key and no more, and acts in its name", async () => {
    const headers = await signedIn()
    expect((await guarded.call("POST /v1/instances", { body: { definitionId: "linear" }, headers })).status).toBe(403)
    await guarded.call("GET /v1/instances", { headers })
    expect(guarded.lines.at(-1)).toMatchObject({ route: "/v1/instances", status: 200, caller: "ada" })
  })

  test("a key in Authorization counts before the cookie, right or wrong", async () => {
    const headers = await signedIn()
    const call = (authorization: string) => guarded.call("GET /v1/session", { headers: { ...headers, authorization } })
    const other = await createApiKey(engine.db, { name: "other", scopes: ["tasks:read"] })
    expect((await call(`Bearer ${other.key}`)).body).toMatchObject({ name: "other" })
    expect((await call("Bearer mill_wrong")).body).toEqual({ keyNeeded: true, signedIn: false })
    const wrong = { headers: { ...headers, authorization: "Bearer mill_wrong" } }
    expect((await guarded.call("GET /v1/instances", wrong)).status).toBe(401)
  })

  test("SEC-21: a key that is mistyped, unknown, revoked or expired gets the same answer and no cookie", async () => {
    const revoked = await createApiKey(engine.db, { name: "r", scopes: ["admin"] })
    await revokeApiKey(engine.db, revoked.id)
    const expired = await createApiKey(engine.db, { name: "e", scopes: ["admin"], expiresAt: 1 })
    const { key: unknown, id } = await createApiKey(engine.db, { name: "u", scopes: ["admin"] })
    await engine.db.script(`delete from millrace.api_keys where id = '${id}'`)
    const wrong = [
      "",
      "x",
      `${ada.key}x`,
      ada.key.slice(0, -1),
      "mill_".repeat(2_000),
      unknown,
      revoked.key,
      expired.key,
    ]
    const answers = new Set<string>()
    for (const key of wrong) {
      const { status, body, headers } = await signIn(guarded, {}, key)
      answers.add(JSON.stringify([status, body.error, body.message]))
      expect(headers.get("set-cookie")).toBeNull()
    }
    expect([...answers]).toEqual(['[401,"unauthenticated","this API key is not known, or no longer valid"]'])
  })

  test("a key that was pasted with a line break is taken; a body without one is told so", async () => {
    expect((await signIn(guarded, {}, ` ${ada.key}\n`)).status).toBe(204)
    for (const body of [{}, { key: 1 }, { key: null }, []])
      expect((await guarded.call("POST /v1/session", { body })).body.error).toBe("bad-request")
  })

  test("SEC-19: makes a new id each time; a cookie that was planted is never taken over, one that was ours is over", async () => {
    const first = await signedIn()
    const again = cookieOf(await signIn(guarded, first))
    expect(again).not.toBe(first.cookie)
    const state = async (cookie: string) =>
      (await guarded.call("GET /v1/session", { headers: { cookie } })).body.signedIn
    expect([await state(first.cookie), await state(again)]).toEqual([false, true])
    const planted = `millrace-session=${"p".repeat(64)}`
    const fresh = cookieOf(await signIn(guarded, { cookie: planted }))
    expect(fresh).not.toBe(planted)
    expect([await state(planted), await state(fresh)]).toEqual([false, true])
  })

  test("SEC-19: a sign-in that fails leaves the session as it is", async () => {
    const headers = await signedIn()
    expect((await signIn(guarded, headers, "mill_wrong")).status).toBe(401)
    expect((await guarded.call("GET /v1/session", { headers })).body.signedIn).toBe(true)
  })
})

describe("SEC-19: signing out", () => {
  test("SEC-19: ends the session and clears the cookie, in both its forms", async () => {
    const headers = await signedIn()
    const { status, text, headers: answered } = await guarded.call("DELETE /v1/session", { headers })
    expect([status, text]).toEqual([204, ""])
    expect(answered.getSetCookie()).toEqual([
      "__Host-millrace-session=; HttpOnly; SameSite=Strict; Path=/; Secure; Max-Age=0",
      "millrace-session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
    ])
    expect((await guarded.call("GET /v1/instances", { headers })).body.message).toContain("sign in again")
    const elsewhere = await serve({ auth: "required" })
    expect((await elsewhere.call("GET /v1/instances", { headers })).status).toBe(401)
  })

  test("without a session there is nothing to do", async () => {
    expect((await guarded.call("DELETE /v1/session")).status).toBe(204)
  })
})

describe("SEC-19: the cookie's two forms", () => {
  const PLAIN = /^millrace-session=[A-Za-z0-9_-]{64}; HttpOnly; SameSite=Strict; Path=\/$/
  const BOUND = /^__Host-millrace-session=[A-Za-z0-9_-]{64}; HttpOnly; SameSite=Strict; Path=\/; Secure$/
  const host = "mill.example.com"
  const forms: [string, boolean, Record<string, string>, RegExp][] = [
    ["on loopback", true, {}, PLAIN],
    ["on loopback, from the page", true, { origin: "http://localhost:8080", host: "localhost:8080" }, PLAIN],
    ["behind a proxy on this machine", true, { "x-forwarded-proto": "https" }, BOUND],
    ["behind a proxy that says nothing", true, { origin: `https://${host}`, host }, BOUND],
    ["beyond loopback", false, {}, BOUND],
    ["beyond loopback, over TLS", false, { origin: `https://${host}`, host }, BOUND],
    ["beyond loopback, where the page came over plain HTTP", false, { origin: `http://${host}`, host }, PLAIN],
  ]

  test.each(forms)("SEC-19: %s", async (_, bindIsLoopback, headers, form) => {
    const server = await serve({ auth: "required", bindIsLoopback, allowedHosts: [host] })
    const body = JSON.stringify({ key: ada.key })
    const lines = Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    const reply = await rawRequest(
      server.url,
      `POST /v1/session HTTP/1.1\r\n${lines.join("")}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    const cookie = /^set-cookie: (.*)\r$/im.exec(reply)?.[1] ?? reply
    expect(cookie).toMatch(form)
    const [pair = ""] = cookie.split(";", 1)
    const session = await server.call("GET /v1/session", { headers: { cookie: pair } })
    expect(session.body).toMatchObject({ signedIn: true, name: "ada" })
    const warned = server.lines.some(({ msg }) => String(msg).includes("plain HTTP"))
    expect(warned).toBe(!bindIsLoopback && form === PLAIN)
  })
})

describe("where no key is needed", () => {
  test.each([{}, { auth: "off" }] as const)("a key is checked, and no cookie is set: %j", async (options) => {
    const server = await serve(options)
    expect((await server.call("GET /v1/session")).body).toEqual({
      keyNeeded: false,
      signedIn: true,
      name: "local",
      scopes: ["admin"],
    })
    const before = await countRows(engine.db, "sessions")
    const right = await signIn(server)
    expect([right.status, right.headers.get("set-cookie")]).toEqual([204, null])
    expect((await signIn(server, {}, "mill_wrong")).status).toBe(401)
    expect(await countRows(engine.db, "sessions")).toBe(before)
    expect((await server.call("GET /v1/session", { headers: await signedIn() })).body).toMatchObject({ name: "local" })
  })
})

describe("SEC-03: other people's pages", () => {
  const evil = { origin: "https://evil.test" }
  const foreign: Record<string, string>[] = [
    evil,
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ]

  test.each(foreign)("SEC-03: may not write with the cookie, sign in or sign out: %j", async (from) => {
    const { cookie } = await signedIn()
    const jobs = await countRows(engine.db, "jobs")
    const raw = (route: string, body: string) =>
      rawRequest(
        guarded.url,
        `${route} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n${Object.entries(from).map(([name, value]) => `${name}: ${value}\r\n`)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
    for (const [route, body] of [
      ["POST /jobs", '{"type":"evil","payload":{}}'],
      ["POST /v1/session", JSON.stringify({ key: ada.key })],
      ["DELETE /v1/session", ""],
    ] as const) {
      const reply = await raw(route, body)
      expect(reply).toMatch(/^HTTP\/1\.1 403 .*"error":"forbidden"/s)
      expect(reply).not.toMatch(/^(set-cookie|access-control)/im)
    }
    expect(await countRows(engine.db, "jobs")).toBe(jobs)
    expect((await guarded.call("GET /v1/session", { headers: { cookie } })).body.signedIn).toBe(true)
    const own = await guarded.call("POST /jobs", { body: { type: "own", payload: {} }, headers: { cookie } })
    expect(own.status).toBe(202)
  })

  test("SEC-03: read nothing with the cookie, not even where their origin may call", async () => {
    const trusted = "https://app.example.com"
    const server = await serve({ auth: "required", corsOrigins: [trusted] })
    const { cookie } = await signedIn(server)
    const ask = (path: string, origin: string) =>
      rawRequest(
        server.url,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\nOrigin: ${origin}\r\nConnection: close\r\n\r\n`,
      )
    for (const path of ["/v1/stream", "/v1/overview", "/v1/instances"]) {
      for (const origin of ["https://evil.test", trusted]) {
        const reply = await ask(path, origin)
        expect(reply).toMatch(/^HTTP\/1\.1 401 /)
        expect(reply).not.toMatch(/^access-control-allow-credentials/im)
        if (origin !== trusted) expect(reply).not.toMatch(/^access-control/im)
      }
    }
    expect(await ask("/v1/session", "https://evil.test")).toContain('{"keyNeeded":true,"signedIn":false}')
  })
})

test("SEC-03: where no key is needed a foreign page may ask for the stream, and its browser shows it nothing", async () => {
  const { url } = await serve()
  const { socket, write } = await rawConnection(url)
  const answer = once(socket, "data")
  write("GET /v1/stream HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.test\r\n\r\n")
  const [head] = (await answer) as [string]
  expect(head).toMatch(/^HTTP\/1\.1 200 /)
  expect(head).not.toMatch(/^access-control/im)
  socket.destroy()
})

describe("SEC-16: a key that is revoked", () => {
  test("SEC-16: ends the sessions and the open streams that stand on it", async () => {
    const brief = await createApiKey(engine.db, { name: "brief", scopes: ["metrics:read"] })
    const server = await serve({ auth: "required" })
    const cookie = cookieOf(await signIn(server, {}, brief.key))
    const streams = await Promise.all(
      [{ cookie }, { authorization: `Bearer ${brief.key}` }].map((headers) =>
        openStream(`${server.url}/v1/stream`, headers),
      ),
    )
    for (const stream of streams) expect((await stream.next("overview"))?.event).toBe("overview")
    await revokeApiKey(engine.db, brief.id)
    for (const stream of streams) {
      const end = async () => {
        while (await stream.next());
      }
      await end().catch(() => {})
    }
    expect((await server.call("GET /v1/overview", { headers: { cookie } })).status).toBe(401)
  })
})

test("SEC-57, SEC-55: each outcome is in the log with the key's name, and never the key or the cookie", async () => {
  const { cookie } = await signedIn()
  await signIn(guarded, {}, `mill_${"0".repeat(16)}_canary`)
  await guarded.call("GET /v1/instances", { headers: { cookie } })
  await guarded.call("DELETE /v1/session", { headers: { cookie } })
  expect(guarded.lines.filter(({ msg }) => msg !== "request")).toEqual([
    expect.objectContaining({ level: "info", msg: "signed in", caller: "ada", requestId: expect.any(String) }),
    expect.objectContaining({ level: "warn", msg: "a sign-in was refused", requestId: expect.any(String) }),
    expect.objectContaining({ level: "info", msg: "signed out", caller: "ada", requestId: expect.any(String) }),
  ])
  const log = JSON.stringify(guarded.lines)
  for (const secret of ["canary", ada.key, ada.key.split("_")[2] as string, cookie.split("=")[1] as string])
    expect(log).not.toContain(secret)
})
