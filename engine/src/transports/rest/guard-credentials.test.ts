// Wrong credentials, with the guard in front of the look-up: how often one may be tried, by whom, and who is not shut out by it.
import { createHmac } from "node:crypto"
import { secretKeys } from "@millrace/guard/credentials"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { loadConfig } from "../../config.ts"
import { openPeople } from "../../open-people.ts"
import { addUser, passwordsOf } from "../../operations/people/users.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { CLIENT, OidcIssuer } from "../routes/people/test-support/oidc-issuer.ts"
import {
  createGuardedServer,
  createGuardedServerBeside,
  type GuardedServer,
  settledAt,
} from "./test-support/guarded-server.ts"
import type { Reply } from "./test-support/reply.ts"

let engine: TestEngine
let server: GuardedServer
beforeAll(async () => {
  engine = await createTestEngine()
  server = await createGuardedServer({ engine })
})
afterAll(async () => {
  await server.close()
  await engine.close()
})

const read = (ip: string, key?: string) => server.call("GET /v1/instances", { ip, ...(key ? { key } : {}) })
const signIn = (ip: string, key: string) => server.call("POST /v1/session", { ip }, { body: { key } })

const settle = (call: Promise<Reply>, at = server) => settledAt(at, call)

/** Wrong keys, each another one. */
async function guess(ip: string, times: number): Promise<number[]> {
  const statuses: number[] = []
  for (let n = 0; n < times; n++) statuses.push((await settle(read(ip, `mill_wrong_${ip}_${n}`))).status)
  return statuses
}

describe("E-10, SEC-60: guessed keys", () => {
  test("E-T4: after ten wrong ones the eleventh is refused, before it is looked up", async () => {
    expect(await guess("192.0.2.1", 12)).toEqual([...Array(10).fill(401), 429, 429])
    const refused = await settle(read("192.0.2.1", "mill_wrong_again"))
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  test("E-32: a soft-blocked caller recovers without an operator", async () => {
    await guess("192.0.2.2", 11)
    server.clock.advance(301_000)
    expect((await settle(read("192.0.2.2", await server.key()))).status).toBe(200)
  })

  test("SEC-60: a key that was good of late passes: a neighbour who guesses does not shut out an office", async () => {
    const key = await server.key()
    expect((await read("192.0.2.3", key)).status).toBe(200)
    await guess("192.0.2.3", 11)
    expect((await read("192.0.2.3", key)).status).toBe(200)
    expect((await settle(read("192.0.2.3", await server.key()))).status).toBe(429)
  })

  test("a program that sends the same wrong key again and again counts once", async () => {
    for (let n = 0; n < 30; n++) expect((await settle(read("192.0.2.4", "mill_stale"))).status).toBe(401)
    expect((await settle(read("192.0.2.4", await server.key()))).status).toBe(200)
  })

  test("no credential at all is no guess", async () => {
    for (let n = 0; n < 30; n++) expect((await read("192.0.2.5")).status).toBe(401)
    expect((await settle(read("192.0.2.5", await server.key()))).status).toBe(200)
  })

  test("SEC-60: GET /health does not tell keys apart for a caller who guesses", async () => {
    await guess("192.0.2.6", 11)
    const key = await server.key()
    const answer = await settle(server.call("GET /health", { ip: "192.0.2.6", key }))
    expect(answer.body).toEqual({ status: "ok" })
  })
})

describe("E-11: the sign-in", () => {
  test("E-11, E-T4: ten wrong keys, and the eleventh attempt answers 403 in words that tell nothing", async () => {
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) statuses.push((await settle(signIn("192.0.2.10", `mill_no_${n}`))).status)
    expect(statuses).toEqual([...Array(10).fill(401), 403])
    const refused = await signIn("192.0.2.10", await server.key())
    expect([refused.status, refused.body.error]).toEqual([403, "forbidden"])
    expect(refused.text).not.toMatch(/fail|credential|password|address/i)
  })

  test("SEC-62, E-X4: a user named like an address does not block the address", async () => {
    const attempt = (ip: string) =>
      server.call("POST /v1/session", { ip }, { body: { username: "192.0.2.20", password: "wrong wrong wrong" } })
    for (let n = 0; n < 9; n++) await settle(attempt(`198.51.100.${n}`))
    for (let n = 0; n < 9; n++) await settle(attempt(`198.51.100.${50 + n}`))
    const status = await server.guard.why("ip:192.0.2.20")
    expect(status).toMatchObject({ softBlocks: [], failures: [] })
    expect((await settle(read("192.0.2.20", await server.key()))).status).toBe(200)
  })
})

test("SEC-61: the owner of an account, from an address used before, is known where the line for passwords is full", async () => {
  const password = "plum otter lantern"
  const passwords = passwordsOf(engine.kernel)
  await addUser({ db: engine.db, passwords }, { username: "ada", email: "ada@example.com", password })
  const known: (boolean | undefined)[] = []
  const check = passwords.check.bind(passwords)
  const spy = vi.spyOn(passwords, "check").mockImplementation(async (text, stored, isKnown) => {
    known.push(await isKnown?.())
    return check(text, stored)
  })
  const attempt = (ip: string, username: string, text: string) =>
    settle(server.call("POST /v1/session", { ip }, { body: { username, password: text } }))
  for (const text of [password, "wrong wrong wrong"]) await attempt("192.0.2.60", "ada", text)
  await attempt("192.0.2.60", "ADA", "wrong wrong wrong")
  await attempt("192.0.2.61", "ada", "wrong wrong wrong")
  await attempt("192.0.2.60", "grace", "wrong wrong wrong")
  expect(known).toEqual([false, true, true, false, false])
  spy.mockRestore()
})

test("SEC-19: a callback of the provider that was not asked for is no guess: a web page can send its visitors there", async () => {
  const issuer = new OidcIssuer()
  await issuer.listen()
  const env = {
    WE_OIDC_ISSUER: issuer.url,
    WE_OIDC_CLIENT_ID: CLIENT.id,
    WE_OIDC_REDIRECT_URL: "http://127.0.0.1:8080/auth/oidc/callback",
    WE_OIDC_GROUPS: "ops=admin",
  }
  const own = await createGuardedServerBeside(engine, env)
  const callback = (n: number) => own.call(`GET /auth/oidc/callback?state=s${n}&code=c${n}`, { ip: "192.0.2.70" })
  for (let n = 0; n < 15; n++) expect((await callback(n)).status).toBe(401)
  expect(await own.guard.why("ip:192.0.2.70")).toMatchObject({ softBlocks: [], failures: [] })
  expect((await own.call("GET /v1/instances", { ip: "192.0.2.70", key: await own.key() })).status).toBe(200)
  await own.close()
  issuer.close()
})

test("SEC-66: sessions that have ended were not guessed: ten browsers of an office come back in the morning", async () => {
  const key = await server.key()
  const cookies: string[] = []
  for (let n = 0; n < 12; n++) {
    const { headers } = await settle(signIn(`203.0.113.${n}`, key))
    cookies.push((headers.get("set-cookie") as string).split(";")[0] as string)
  }
  await engine.advanceClock(13 * 3_600_000)
  const again = await createGuardedServerBeside(engine)
  for (const cookie of cookies) {
    const headers = { cookie, "sec-fetch-site": "same-origin" }
    expect((await again.call("GET /v1/instances", { ip: "203.0.113.99" }, { headers })).status).toBe(401)
  }
  expect(await again.guard.why("ip:203.0.113.99")).toMatchObject({ softBlocks: [], failures: [] })
  await again.close()
})

test("E-12, E-38: regular calls of a public route do not shut the sign-in for their address", async () => {
  const ip = "192.0.2.95"
  const statuses: number[] = []
  for (let n = 0; n < 15; n++) {
    statuses.push((await server.call("GET /v1/session", { ip })).status)
    server.clock.advance(500)
  }
  expect(statuses.at(-1)).toBe(429)
  expect((await settle(signIn(ip, await server.key()))).status).toBe(204)
})

describe("E-09: routes that anyone may call", () => {
  const asPage = (cookie: string) => ({ headers: { cookie, "sec-fetch-site": "same-origin" } })
  const calls = (ip: string, key?: string) =>
    Promise.all(Array.from({ length: 101 }, () => server.call("GET /nope", { ip, ...(key ? { key } : {}) })))

  test("E-09: a caller with a good credential is counted by it: what a neighbour used up is not missed", async () => {
    const ip = "192.0.2.90"
    const key = await server.key()
    const cookie = ((await settle(signIn("192.0.2.91", key))).headers.get("set-cookie") as string).split(
      ";",
    )[0] as string
    await calls(ip)
    expect((await server.call("GET /v1/session", { ip })).status).toBe(429)
    const page = await server.call("GET /v1/session", { ip }, asPage(cookie))
    expect([page.status, page.body]).toEqual([200, expect.objectContaining({ signedIn: true })])
    expect((await server.call("GET /nope", { ip }, asPage(cookie))).status).toBe(404)
    expect((await read(ip, key)).status).toBe(200)
    expect((await server.call("GET /v1/session", { ip, key })).status).toBe(200)
  })

  test("E-09: it has the limit of the class itself", async () => {
    const key = await server.key()
    await read("192.0.2.92", key)
    const statuses = (await calls("192.0.2.92", key)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect((await server.call("GET /v1/session", { ip: "192.0.2.92" })).status).toBe(200)
  })

  test("SEC-60: one that is wrong or not yet known is counted by its address, and not told apart", async () => {
    const remaining = async (key: string) => {
      const { status, headers } = await server.call("GET /nope", { ip: "192.0.2.93", key })
      return [status, headers.get("x-ratelimit-remaining")]
    }
    expect(await remaining("mill_wrong")).toEqual([404, "99"])
    expect(await remaining(await server.key())).toEqual([404, "98"])
    expect(
      (await server.call("GET /v1/session", { ip: "192.0.2.93" }, asPage("millrace-session=made-up"))).status,
    ).toBe(200)
    expect(await server.guard.why("ip:192.0.2.93")).toMatchObject({ softBlocks: [] })
  })
})

describe("SEC-60, SEC-66: tokens whose time is over", () => {
  const SECRET = "0123456789abcdef0123456789abcdef"
  const env = { WE_JWT_SECRET: SECRET }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")

  /** With a signature of another secret, over within the seconds that the verifier forgives. */
  const forged = (n: number): string => {
    const { kid } = secretKeys([SECRET])
    const now = Math.floor(engine.kernel.clock.nowMs() / 1_000)
    const claims = {
      iss: "millrace",
      aud: "millrace",
      sub: `u${n}`,
      role: "ADMIN",
      ver: 1,
      iat: now - 600,
      exp: now - 1,
    }
    const input = `${part({ alg: "HS256", typ: "JWT", kid })}.${part(claims)}`
    return `${input}.${createHmac("sha256", "another secret").update(input).digest("base64url")}`
  }

  test("SEC-60: forged ones are guesses like any other, whatever they say of their end", async () => {
    const own = await createGuardedServerBeside(engine, env)
    const statuses: number[] = []
    for (let n = 0; n < 11; n++)
      statuses.push((await settle(own.call("GET /v1/instances", { ip: "192.0.2.80", key: forged(n) }), own)).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    await own.close()
  })

  test("SEC-66: ours were not guessed: an office comes back in the morning with old ones", async () => {
    const { tokens } = openPeople(loadConfig({ env }), engine.kernel)
    const store = { db: engine.db, passwords: passwordsOf(engine.kernel) }
    const old: string[] = []
    for (let n = 0; n < 12; n++) {
      const person = { username: `morning${n}`, email: `m${n}@example.com`, password: "plum otter lantern" }
      old.push((await tokens.issue(await addUser(store, person))).token)
    }
    await engine.advanceClock(3_600_000)
    const own = await createGuardedServerBeside(engine, env)
    for (const key of old) expect((await own.call("GET /v1/instances", { ip: "192.0.2.81", key })).status).toBe(401)
    expect(await own.guard.why("ip:192.0.2.81")).toMatchObject({ softBlocks: [], failures: [] })
    await own.close()
  })
})
