// Users and tokens over real HTTP and gRPC, on a real database.
import { secretKeys } from "@millrace/guard/credentials"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { Tokens } from "../../../operations/people/tokens.ts"
import { addUser, changeUser, passwordsOf } from "../../../operations/people/users.ts"
import { EngineError } from "../../../support/errors.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import type { CredentialWatch } from "../../calls/guard/credential-watch.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"

const PASSWORD = "plum otter lantern"
const SECRET = "0123456789abcdef0123456789abcdef"

let engine: TestEngine
let server: TestServer
const open: TestServer[] = []

beforeAll(async () => {
  engine = await createTestEngine()
  server = await createTestServer({ engine, auth: "required", people: peopleOf() })
})
afterEach(async () => {
  server.lines.length = 0
  for (const one of open.splice(0)) await one.close()
  await engine.db.script("delete from millrace.users; delete from millrace.sessions")
})
afterAll(async () => {
  await server.close()
  await engine.close()
})

/** With nothing in its memory. */
const peopleOf = (registration = true) => ({
  registration,
  tokens: new Tokens(engine.kernel, { own: { issuer: "millrace", audience: "millrace", keys: secretKeys([SECRET]) } }),
})

async function serve(options: Parameters<typeof createTestServer>[0]): Promise<TestServer> {
  const one = await createTestServer({ engine, auth: "required", ...options })
  open.push(one)
  return one
}

const store = () => ({ db: engine.db, passwords: passwordsOf(engine.kernel) })
const addAda = (role: "USER" | "ADMIN" = "USER") =>
  addUser(store(), { username: "ada", email: "ada@example.com", password: PASSWORD, role })
const register = (body: object = {}, at = server): Promise<Reply> =>
  at.call("POST /auth/register", { body: { username: "ada", email: "ada@example.com", password: PASSWORD, ...body } })
const login = (body: object = {}, at = server): Promise<Reply> =>
  at.call("POST /auth/login", { body: { username: "ada", password: PASSWORD, ...body } })
const bearer = ({ body }: Reply) => ({ authorization: `Bearer ${body.access_token}` })

describe("E-18: registering", () => {
  test("E-18: makes a user that can sign in; the same name or address again is 409", async () => {
    const reply = await register()
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        id: expect.any(String),
        username: "ada",
        email: "ada@example.com",
        role: "USER",
        createdAt: expect.any(String),
      },
    ])
    expect(reply.headers.get("cache-control")).toBe("no-store")
    expect((await login()).status).toBe(200)
    for (const body of [{ email: "other@example.com" }, { username: "grace" }]) {
      const again = await register(body)
      expect([again.status, again.body.error]).toEqual([409, "conflict"])
    }
  })

  test("E-39: is off unless it is set, and says how to set it", async () => {
    for (const people of [peopleOf(false), undefined]) {
      const refused = await register({}, await serve({ people }))
      expect([refused.status, refused.body.error]).toEqual([403, "forbidden"])
      expect(refused.body.message).toContain("WE_REGISTRATION=on")
    }
    expect(await engine.db.script("select 1 from millrace.users")).toEqual([])
  })

  test.each([
    { role: "ADMIN" },
    { username: "admin" },
    { is_active: true, role: "ADMIN", token_version: 9 },
    { scopes: ["admin"] },
  ])("E-31, SEC-30: whatever is sent, it is a USER: %j", async (body) => {
    expect((await register(body)).body.role).toBe("USER")
    const token = await login({ username: (body as { username?: string }).username ?? "ada" })
    const { status } = await server.call("GET /v1/instances", { headers: bearer(token) })
    expect(status).toBe(403)
    expect(await engine.db.script("select role, token_version from millrace.users")).toEqual([
      { role: "USER", token_version: 1 },
    ])
  })

  test("SEC-22: every violation is named", async () => {
    const { status, body } = await register({ username: "a b", email: "x", password: "password1234" })
    expect([status, body.details.map(({ path }: { path: string }) => path)]).toEqual([
      400,
      ["$.username", "$.email", "$.password"],
    ])
    for (const missing of ["username", "email", "password"])
      expect((await register({ [missing]: undefined })).body.details[0].path).toBe(`$.${missing}`)
  })
})

describe("E-18, E-03: signing in", () => {
  test("E-03: gives a bearer token for half an hour, which counts on REST", async () => {
    await addAda("ADMIN")
    const reply = await login()
    expect([reply.status, reply.body]).toEqual([
      200,
      { access_token: expect.stringMatching(/^eyJ/), token_type: "bearer", expires_in: 1_800 },
    ])
    expect(reply.headers.get("cache-control")).toBe("no-store")
    expect((await server.call("GET /v1/instances", { headers: bearer(reply) })).status).toBe(200)
    expect((await server.call("GET /v1/session", { headers: bearer(reply) })).body).toMatchObject({
      signedIn: true,
      name: "ada",
      scopes: ["admin"],
    })
  })

  test("E-T5, E-39: a USER is known and refused, an ADMIN is served, and a stranger is asked for a credential", async () => {
    await addAda()
    const asUser = bearer(await login())
    await changeUser(engine.db, "promote", "ada")
    const asAdmin = bearer(await login())
    for (const route of ["GET /v1/instances", "GET /v1/overview", "GET /queues/weights", "POST /v1/jobs/poll"]) {
      expect((await server.call(route, { headers: asUser })).status).toBe(403)
      expect([401, 403]).not.toContain((await server.call(route, { headers: asAdmin })).status)
      const stranger = await server.call(route)
      expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    }
    expect((await server.call("GET /openapi.json", { headers: asUser })).status).toBe(200)
  })

  test("SEC-21, E-T8: an unknown name, a wrong password and a disabled user get one answer", async () => {
    await addAda()
    const answers = [
      await login({ password: "wrong" }),
      await login({ username: "nobody" }),
      await login({ username: "10.0.0.1" }),
    ]
    await changeUser(engine.db, "disable", "ada")
    answers.push(await login(), await login({ password: "wrong" }))
    const told = answers.map(({ status, body, headers }) =>
      JSON.stringify([
        status,
        { ...body, requestId: "" },
        headers.get("www-authenticate"),
        headers.get("content-length")?.length,
      ]),
    )
    expect(new Set(told).size).toBe(1)
    expect(told[0]).toContain("the user name or the password is wrong")
    expect(answers[0]?.status).toBe(401)
    expect(answers[0]?.headers.get("www-authenticate")).toBe("Bearer")
  })

  test("E-03: without a key for tokens it says which setting is missing, and keys and sessions still count", async () => {
    await addAda()
    const without = await serve({ people: { registration: false, tokens: new Tokens(engine.kernel, {}) } })
    const refused = await login({}, without)
    expect([refused.status, refused.body.error]).toEqual([403, "forbidden"])
    expect(refused.body.message).toContain("WE_JWT_SECRET")
    const headers = bearer(await login())
    expect((await without.call("GET /openapi.json", { headers })).status).toBe(401)
    expect((await without.call("POST /v1/session", { body: { username: "ada", password: PASSWORD } })).status).toBe(204)
  })

  test.each([
    {},
    { username: "ada" },
    { password: "x" },
    { username: 1, password: "x" },
    { username: "ada", password: ["x"] },
    { username: "a\nb", password: "x" },
    { username: "ada", password: "x".repeat(2_000) },
    { username: "a\u0000", password: "x" },
  ])("a body that is none is told so: %j", async (body) => {
    const { status, body: told } = await server.call("POST /auth/login", {
      raw: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    })
    expect([status, told.error]).toEqual([400, "bad-request"])
  })

  test("SEC-20: two hundred at once: most are told to come back, and other calls are served meanwhile", async () => {
    await addAda()
    const attempts = Array.from({ length: 200 }, () => login({ password: "wrong wrong wrong" }))
    const others = await Promise.all(Array.from({ length: 20 }, () => server.call("GET /healthz")))
    expect(others.every(({ status }) => status === 200)).toBe(true)
    const replies = await Promise.all(attempts)
    const busy = replies.filter(({ status }) => status === 503)
    expect(busy.length).toBeGreaterThan(0)
    for (const { body, headers } of busy) expect([body.error, headers.get("retry-after")]).toEqual(["unavailable", "1"])
    expect(replies.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(18)
    expect(replies.every(({ status }) => status === 401 || status === 503)).toBe(true)
  })
})

describe("E-41, SEC-17: a user that is demoted, disabled or has a new password", () => {
  test("SEC-17: its token is refused on another replica too, while others of its kind are served", async () => {
    await addAda("ADMIN")
    const grace = { username: "grace", email: "grace@example.com" }
    await addUser(store(), { ...grace, password: PASSWORD, role: "ADMIN" })
    const [ada, graces] = [bearer(await login()), bearer(await login(grace))]
    const other = await serve({ people: peopleOf() })
    expect((await other.call("GET /v1/instances", { headers: ada })).status).toBe(200)
    await changeUser(engine.db, "demote", "ada")
    const status = async (at: TestServer, headers: { authorization: string }) =>
      (await at.call("GET /v1/instances", { headers })).status
    for (const at of [server, other]) await expect.poll(() => status(at, ada)).toBe(401)
    for (const at of [server, other]) expect(await status(at, graces)).toBe(200)
    expect(await status(server, bearer(await login()))).toBe(403)
  })

  test("the owner of a password changes it, and what was signed in with the old one ends", async () => {
    await addAda("ADMIN")
    const change = (body: object) => server.call("POST /auth/password", { body: { username: "ada", ...body } })
    expect((await change({ password: "wrong", newPassword: "seven quiet herons" })).status).toBe(401)
    expect((await change({ password: PASSWORD, newPassword: "short" })).body.details[0].path).toBe("$.newPassword")
    const before = bearer(await login())
    expect((await change({ password: PASSWORD, newPassword: "seven quiet herons" })).status).toBe(204)
    expect((await login()).status).toBe(401)
    expect((await login({ password: "seven quiet herons" })).status).toBe(200)
    const fresh = await serve({ people: peopleOf() })
    expect((await fresh.call("GET /v1/instances", { headers: before })).status).toBe(401)
  })
})

describe("SEC-19: a session of the dashboard with a user name and a password", () => {
  const signIn = (body: object = {}) =>
    server.call("POST /v1/session", { body: { username: "ada", password: PASSWORD, ...body } })
  const cookieOf = ({ headers }: Reply) => ({ cookie: headers.getSetCookie()[0]?.split(";", 1)[0] ?? "" })

  test("SEC-19: stands for the user, with the scopes of its role as they are now", async () => {
    await addAda()
    const reply = await signIn()
    expect([reply.status, reply.headers.getSetCookie()[0]]).toEqual([
      204,
      expect.stringContaining("HttpOnly; SameSite=Strict"),
    ])
    const headers = cookieOf(reply)
    const session = { keyNeeded: true, signedIn: true, name: "ada", scopes: ["gateway"] }
    expect((await server.call("GET /v1/session", { headers })).body).toEqual(session)
    expect((await server.call("GET /v1/instances", { headers })).status).toBe(403)
    await changeUser(engine.db, "promote", "ada")
    await expect.poll(async () => (await server.call("GET /v1/instances", { headers })).status).toBe(200)
  })

  test("E-41: ends when the user is disabled, within five seconds", async () => {
    await addAda("ADMIN")
    const headers = cookieOf(await signIn())
    expect((await server.call("GET /v1/instances", { headers })).status).toBe(200)
    await changeUser(engine.db, "disable", "ada")
    await expect.poll(async () => (await server.call("GET /v1/instances", { headers })).status).toBe(401)
    await changeUser(engine.db, "enable", "ada")
    const fresh = await serve({})
    expect((await fresh.call("GET /v1/instances", { headers })).status).toBe(401)
  })

  test("SEC-21: a wrong one gets the answer of POST /auth/login, and no cookie", async () => {
    await addAda()
    const [wrong, unknown] = [await signIn({ password: "wrong" }), await signIn({ username: "nobody" })]
    for (const { status, body, headers } of [wrong, unknown])
      expect([status, body.message, headers.get("set-cookie")]).toEqual([
        401,
        "the user name or the password is wrong",
        null,
      ])
    for (const body of [{ username: "ada" }, { password: "x" }])
      expect((await server.call("POST /v1/session", { body })).status).toBe(400)
  })
})

describe("SEC-23, SEC-60: who limits attempts", () => {
  const seen: string[] = []
  const credentialWatch: CredentialWatch = {
    before: (call, user) => {
      if (user === "blocked") throw new EngineError("rate-limited", "too many requests", { retryAfterSeconds: 300 })
      seen.push(`before ${call.path} ${user}`)
    },
    failed: (call, user) => void seen.push(`failed ${call.path} ${user}`),
    signedIn: (call, user) => void seen.push(`signed in ${call.path} ${user}`),
    isOwners: () => false,
  }

  test("SEC-60: is asked before every credential on every route that takes one, and told what came of it", async () => {
    await addAda()
    const watched = await serve({ people: peopleOf(), credentialWatch })
    const wrong = { username: "Ada", password: "wrong", newPassword: "seven quiet herons" }
    for (const route of ["POST /auth/login", "POST /auth/password", "POST /v1/session"]) {
      await watched.call(route, { body: wrong })
      const blocked = await watched.call(route, { body: { ...wrong, username: "blocked" } })
      expect([blocked.status, blocked.headers.get("retry-after")]).toEqual([429, "300"])
    }
    await watched.call("POST /v1/session", { body: { key: "mill_wrong" } })
    await login({ username: "ADA" }, watched)
    await register({ username: "grace", email: "grace@example.com" }, watched)
    expect(seen).toEqual([
      ...["/auth/login", "/auth/password", "/v1/session"].flatMap((path) => [
        `before ${path} Ada`,
        `failed ${path} Ada`,
      ]),
      "before /v1/session undefined",
      "failed /v1/session undefined",
      "before /auth/login ADA",
      "signed in /auth/login ada",
      "before /auth/register undefined",
    ])
  })
})

test("SEC-11: the public keys are published; of a shared secret there are none", async () => {
  expect((await server.call("GET /.well-known/jwks.json")).body).toEqual({ keys: [] })
})

test("SEC-57, SEC-55: each outcome is in the log with the user's id, and never a password or a token", async () => {
  await register()
  const token = (await login()).body.access_token as string
  await login({ password: "canary one two three" })
  await login({ username: "canary-name" })
  await server.call("POST /auth/password", {
    body: { username: "ada", password: PASSWORD, newPassword: "canary herons seven" },
  })
  await server.call("GET /v1/instances", { headers: { authorization: `Bearer ${token}` } })
  expect(
    server.lines.filter(({ msg }) => msg !== "request").map(({ level, msg, caller }) => [level, msg, caller]),
  ).toEqual([
    ["info", "a user has registered", "ada"],
    ["info", "signed in", "ada"],
    ["warn", "a sign-in was refused", undefined],
    ["warn", "a sign-in was refused", undefined],
    ["info", "signed in", "ada"],
    ["info", "a password was changed", "ada"],
  ])
  const log = JSON.stringify(server.lines)
  for (const secret of ["canary", PASSWORD, token, token.split(".")[2] as string]) expect(log).not.toContain(secret)
})
