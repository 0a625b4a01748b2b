// Signing in with a provider: real HTTP to a provider on loopback, and what an attacker would try.
import { OidcProvider } from "@millrace/guard/credentials"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { OidcSignIn } from "../../../operations/people/oidc-sign-in.ts"
import { TICKET_LIFE_MS } from "../../../operations/people/sign-in-tickets.ts"
import { Tokens } from "../../../operations/people/tokens.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { createTestServer, type Reply, type TestServer } from "../../rest/test-support/test-server.ts"
import { CLIENT, OidcIssuer } from "./test-support/oidc-issuer.ts"

const REDIRECT = "http://127.0.0.1:8080/auth/oidc/callback"

let engine: TestEngine
let issuer: OidcIssuer
let server: TestServer
const open: TestServer[] = []

beforeAll(async () => {
  engine = await createTestEngine()
})
beforeEach(async () => {
  issuer = new OidcIssuer()
  issuer.nowMs = () => engine.kernel.clock.nowMs()
  await issuer.listen()
  server = await serve()
})
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
  issuer.close()
})
afterAll(() => engine.close())

const GROUPS = [
  { group: "ops", scopes: ["admin"] },
  { group: "support", scopes: ["instances:read", "tasks:write"] },
  { group: "readers", scopes: ["instances:read"] },
]

/** With nothing in its memory. */
async function serve(
  overrides: Parameters<typeof createTestServer>[0] = {},
  redirectUrl = REDIRECT,
): Promise<TestServer> {
  const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret, redirectUrl }
  const provider = new OidcProvider({ issuer: issuer.url, ...client, algorithm: "RS256", groupsClaim: "groups" })
  const signIn = new OidcSignIn(engine.kernel, { provider, issuer: issuer.url, groups: GROUPS })
  const people = {
    registration: false,
    tokens: new Tokens(engine.kernel, {}),
    provider: { signIn, name: "Example ID", isOverTls: redirectUrl.startsWith("https:") },
  }
  const one = await createTestServer({ engine, auth: "required", people, ...overrides })
  open.push(one)
  return one
}

const cookiesOf = ({ headers }: Reply) => headers.getSetCookie()
const pairOf = (cookie = "") => cookie.split(";", 1)[0] as string
const ADA = { preferred_username: "ada", groups: ["support", "all"] }

interface Begun {
  readonly location: string
  readonly cookie: string
}

async function begin(at = server): Promise<Begun> {
  const reply = await at.call("GET /auth/oidc/start")
  expect(reply.status).toBe(302)
  return { location: reply.headers.get("location") ?? "", cookie: pairOf(cookiesOf(reply)[0]) }
}
const comeBack = (answer: URLSearchParams | string, cookie: string, at = server) =>
  at.call(`GET /auth/oidc/callback?${answer}`, { headers: { cookie } })
async function signIn(claims: Record<string, unknown> = ADA, at = server): Promise<Reply> {
  const { location, cookie } = await begin(at)
  return comeBack(issuer.vouch(location, claims), cookie, at)
}
const told = ({ status, headers, body }: Reply) => [status, body?.error, headers.get("set-cookie")]
const REFUSED = [401, "unauthenticated", null]

describe("SEC-19: signing in with a provider", () => {
  test("SEC-19: sends the browser there with state, nonce and PKCE, and a cookie that comes back from another site", async () => {
    const reply = await server.call("GET /auth/oidc/start")
    const url = new URL(reply.headers.get("location") ?? "")
    expect(url.origin + url.pathname).toBe(`${issuer.url}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: CLIENT.id,
      redirect_uri: REDIRECT,
      scope: "openid profile email",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    })
    expect(cookiesOf(reply)).toEqual([
      expect.stringMatching(/^millrace-sign-in=[\w-]{72}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=600$/),
    ])
    expect(reply.headers.get("cache-control")).toBe("no-store")
    const { searchParams: again } = new URL((await begin()).location)
    for (const name of ["state", "nonce", "code_challenge"])
      expect(again.get(name)).not.toBe(url.searchParams.get(name))
  })

  test("SEC-19: begins a session with the scopes of the groups, and ends the sign-in", async () => {
    const reply = await signIn()
    expect([reply.status, reply.headers.get("location")]).toEqual([302, "/ui/"])
    const [session, cleared] = cookiesOf(reply)
    expect(session).toMatch(/^millrace-session=[\w-]{64}; HttpOnly; SameSite=Strict; Path=\/$/)
    expect(cleared).toMatch(/^millrace-sign-in=; .*Max-Age=0$/)
    const headers = { cookie: pairOf(session) }
    expect((await server.call("GET /v1/session", { headers })).body).toEqual({
      keyNeeded: true,
      signedIn: true,
      name: "ada",
      scopes: ["instances:read", "tasks:write"],
      provider: "Example ID",
    })
    expect((await server.call("GET /v1/instances", { headers })).status).toBe(200)
    expect((await server.call("GET /v1/overview", { headers })).status).toBe(403)
  })

  test("SEC-19: over TLS its cookies are bound to TLS, and a plain one is not read", async () => {
    const tls = await serve({}, "https://mill.example.com/auth/oidc/callback")
    const { location, cookie } = await begin(tls)
    expect(cookie).toMatch(/^__Host-millrace-sign-in=/)
    const answer = issuer.vouch(location, ADA)
    expect(told(await comeBack(answer, cookie.replace("__Host-", ""), tls))).toEqual(REFUSED)
    const reply = await comeBack(answer, cookie, tls)
    expect(cookiesOf(reply)[0]).toMatch(/^__Host-millrace-session=.*; Secure$/)
  })

  test("any engine takes the browser back; where no key is needed no session is begun", async () => {
    const { location, cookie } = await begin()
    const other = await serve()
    expect((await comeBack(issuer.vouch(location, ADA), cookie, other)).status).toBe(302)
    const local = await serve({ auth: "auto" })
    const reply = await signIn(ADA, local)
    expect([reply.status, cookiesOf(reply)]).toEqual([302, [expect.stringMatching(/^millrace-sign-in=;/)]])
  })

  test.each([
    [
      ["ops", "support"],
      ["admin", "instances:read", "tasks:write"],
    ],
    [
      ["readers", "support"],
      ["instances:read", "tasks:write"],
    ],
    ["ops", ["admin"]],
  ])("SEC-27: groups %j give the scopes %j", async (groups, scopes) => {
    const headers = { cookie: pairOf(cookiesOf(await signIn({ ...ADA, groups }))[0]) }
    expect((await server.call("GET /v1/session", { headers })).body.scopes).toEqual(scopes)
  })

  test.each([undefined, [], ["Ops"], ["ops "], "", [["ops"]], { ops: true }, ["admin"]])(
    "SEC-27: groups %j give nothing, and the person is told so",
    async (groups) => {
      const reply = await signIn({ ...ADA, groups })
      expect(told(reply)).toEqual([403, "forbidden", null])
      expect(reply.body.message).toContain("WE_OIDC_GROUPS")
    },
  )
})

describe("SEC-19: an answer that this browser has not asked for", () => {
  test("SEC-19: login CSRF: an attacker's code and state are refused in another browser", async () => {
    const attacker = await begin()
    const answer = issuer.vouch(attacker.location, ADA)
    expect(told(await comeBack(answer, ""))).toEqual(REFUSED)
    const victim = await begin()
    expect(told(await comeBack(answer, victim.cookie))).toEqual(REFUSED)
    expect(issuer.asked).not.toContain("/token")
    expect((await comeBack(answer, attacker.cookie)).status).toBe(302)
  })

  test("SEC-19: an empty or missing state is refused, whatever the cookie says", async () => {
    const { location, cookie } = await begin()
    const code = issuer.vouch(location, ADA).get("code") as string
    for (const [query, sent] of [
      [`code=${code}`, cookie],
      [`code=${code}&state=`, cookie],
      [`code=${code}&state=`, "millrace-sign-in="],
      [`code=${code}&state=undefined`, ""],
      [`code=${code}&state=x`, cookie],
    ] as const)
      expect([400, 401]).toContain((await comeBack(query, sent)).status)
    expect(issuer.asked).not.toContain("/token")
  })

  test("SEC-19: a cookie that was made up, cut or changed is refused", async () => {
    const { location, cookie } = await begin()
    const answer = issuer.vouch(location, ADA)
    const id = cookie.split("=")[1] as string
    const changed = `${id.slice(0, 5)}${id[5] === "A" ? "B" : "A"}${id.slice(6)}`
    for (const wrong of ["A".repeat(72), id.slice(1), changed, `${id}A`])
      expect(told(await comeBack(answer, `millrace-sign-in=${wrong}`))).toEqual(REFUSED)
    expect((await comeBack(answer, cookie)).status).toBe(302)
  })

  test("SEC-19: after ten minutes it is over", async () => {
    const { location, cookie } = await begin()
    const answer = issuer.vouch(location, ADA)
    await engine.advanceClock(TICKET_LIFE_MS + 1_000)
    expect(told(await comeBack(answer, cookie))).toEqual(REFUSED)
  })

  test("SEC-19: a code is good once", async () => {
    const { location, cookie } = await begin()
    const answer = issuer.vouch(location, ADA)
    expect((await comeBack(answer, cookie)).status).toBe(302)
    expect(told(await comeBack(answer, cookie))).toEqual(REFUSED)
  })

  test("SEC-19: fixation: the id of the session is new, whatever the browser brought along", async () => {
    const { location, cookie } = await begin()
    const planted = `millrace-session=${"p".repeat(64)}`
    const reply = await comeBack(issuer.vouch(location, ADA), `${cookie}; ${planted}`)
    expect(pairOf(cookiesOf(reply)[0])).not.toBe(planted)
    expect((await server.call("GET /v1/session", { headers: { cookie: planted } })).body.signedIn).toBe(false)
  })

  test("SEC-19: mix-up: the answer of another provider, and a refusal, begin nothing", async () => {
    const { location, cookie } = await begin()
    const answer = issuer.vouch(location, ADA)
    expect(told(await comeBack(`${answer}&iss=https%3A%2F%2Fevil.test`, cookie))).toEqual(REFUSED)
    const denied = await comeBack(`error=access_denied&state=${answer.get("state")}`, cookie)
    expect([denied.status, denied.body.message]).toEqual([401, expect.stringContaining("(access_denied)")])
    const odd = await comeBack("error=%3Cscript%3E", cookie)
    expect([odd.status, odd.text]).toEqual([401, expect.not.stringContaining("script")])
    expect((await comeBack(`${answer}&iss=${encodeURIComponent(issuer.url)}`, cookie)).status).toBe(302)
  })
})

describe("SEC-12, SEC-19: a token of the provider that is not good", () => {
  test.each<[string, Record<string, unknown>]>([
    ["of another issuer", { iss: "https://evil.test" }],
    ["for another audience", { aud: "other" }],
    ["for several, made for another", { aud: [CLIENT.id, "other"], azp: "other" }],
    ["for several, made for nobody", { aud: [CLIENT.id, "other"] }],
    ["with another nonce", { nonce: "n" }],
    ["without a nonce", { nonce: undefined }],
    ["expired", { exp: 1 }],
    ["without an end", { exp: undefined }],
    ["without a subject", { sub: undefined }],
    ["with a subject of two lines", { sub: "a\nb" }],
    ["with a subject that is too long", { sub: "x".repeat(201) }],
    ["larger than 8 KiB", { pad: "x".repeat(9_000) }],
  ])("SEC-12: %s", async (_, claims) => {
    issuer.claims = claims
    expect(told(await signIn())).toEqual(REFUSED)
    issuer.claims = {}
    expect((await signIn()).status).toBe(302)
  })

  test("SEC-11: keys are rotated: the new one is taken, one that is not published is not", async () => {
    expect((await signIn()).status).toBe(302)
    issuer.rotate("two")
    const fresh = await serve()
    expect((await signIn(ADA, fresh)).status).toBe(302)
    const published = issuer.published
    issuer.rotate("two")
    issuer.published = published
    expect(told(await signIn(ADA, await serve()))).toEqual(REFUSED)
  })

  test("SEC-10: a token without a signature, or of another algorithm, is refused", async () => {
    for (const header of [{ alg: "none" }, { alg: "HS256" }, { alg: "PS256" }]) {
      const sign = issuer.sign.bind(issuer)
      issuer.sign = (payload) => sign(payload, header)
      expect(told(await signIn())).toEqual(REFUSED)
      issuer.sign = sign
    }
  })
})

describe("a provider that does not answer as it should", () => {
  test.each<[string, Record<string, unknown>]>([
    ["says that it is another", { issuer: "https://evil.test" }],
    ["names no address for codes", { token_endpoint: undefined }],
    ["names an address without TLS elsewhere", { token_endpoint: "http://evil.test/token" }],
    ["names no URL", { jwks_uri: "file:///etc/passwd" }],
    ["names an address with a password", { jwks_uri: "https://a:b@evil.test/keys" }],
  ])("SEC-45: one that %s is not asked any more", async (_, discovery) => {
    issuer.discovery = discovery
    const reply = await server.call("GET /auth/oidc/start")
    expect(told(reply)).toEqual([503, "unavailable", null])
    expect(reply.text).not.toContain("evil")
    issuer.discovery = {}
    expect((await begin()).location).toContain("/authorize")
  })

  test("is told of as unavailable, at the start and at the end, and asked again", async () => {
    const { location, cookie } = await begin()
    issuer.isDown = true
    expect(told(await comeBack(issuer.vouch(location, ADA), cookie))).toEqual([503, "unavailable", null])
    expect((await (await serve()).call("GET /auth/oidc/start")).status).toBe(503)
    issuer.isDown = false
    expect((await signIn()).status).toBe(302)
  })
})

test("without a provider there is nothing to sign in with, and it says so", async () => {
  const without = await serve({ people: undefined })
  for (const path of ["start", "callback?code=a&state=b"]) {
    const { status, body } = await without.call(`GET /auth/oidc/${path}`)
    expect([status, body.message]).toEqual([404, expect.stringContaining("WE_OIDC_ISSUER")])
  }
  expect((await without.call("GET /v1/session")).body).toEqual({ keyNeeded: true, signedIn: false })
})

test("SEC-55, SEC-57: outcomes are in the log, and never a code, a state or a cookie", async () => {
  const { location, cookie } = await begin()
  const answer = issuer.vouch(location, ADA)
  const reply = await comeBack(answer, cookie)
  await comeBack(answer, cookie)
  const outcomes = server.lines.filter(({ msg }) => msg !== "request")
  expect(outcomes.map(({ msg, caller, subject }) => [msg, caller, subject])).toEqual([
    ["signed in", "ada", "oidc:s-1"],
    ["a sign-in was refused", undefined, undefined],
  ])
  const log = JSON.stringify(server.lines)
  const session = pairOf(cookiesOf(reply)[0]).split("=")[1]
  for (const secret of [answer.get("code"), answer.get("state"), cookie.split("=")[1], session, CLIENT.secret])
    expect(log).not.toContain(secret)
})
