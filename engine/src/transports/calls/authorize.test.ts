import type { IncomingHttpHeaders } from "node:http"
import { describe, expect, test } from "vitest"
import type { Principal } from "../../operations/people/api-keys.ts"
import { authenticate, authorize, authorizeJobTypes, authorizeReport } from "./authorize.ts"
import { LOCAL, type Permission } from "./route.ts"
import { trustNetworks } from "./trusted-networks.ts"

type Asked = Parameters<typeof authenticate>

/** By what it sends, from an address that nothing is known of. */
const asCaller = (options: Asked[0], headers: IncomingHttpHeaders, how?: Asked[2]) =>
  authenticate(options, { headers }, how)

const withScopes = (...scopes: string[]): Principal => ({ id: "k1", name: "key one", scopes })
const worker = withScopes("jobs:work:mail", "jobs:work:print")
const findKey = async (key: string) => (key === "mill_good" ? worker : undefined)

const SESSION = "s".repeat(43)
const inSession = async (id: string) => (id === SESSION ? worker : undefined)
const isOurs = async (id: string) => id === SESSION
const sessions = { find: inSession, use: inSession, start: async () => SESSION, end: async () => {}, isOurs }

const modes = { auth: "auto", bindIsLoopback: true, findKey, sessions } as const
const sent = (authorization: string) => ({ authorization })

describe("who is calling", () => {
  test("SEC-02: on loopback nobody needs a key, unless the operator demands one", async () => {
    expect(asCaller(modes, {})).toBe(LOCAL)
    expect(() => asCaller({ ...modes, auth: "required" }, {})).toThrow("an API key is required")
    expect(() => asCaller({ ...modes, bindIsLoopback: false }, {})).toThrow("an API key is required")
    expect(asCaller({ ...modes, auth: "off" }, sent("Bearer whatever"))).toBe(LOCAL)
  })

  test("a key that is sent counts, also where none is needed", async () => {
    expect(await asCaller(modes, sent("Bearer mill_good"))).toBe(worker)
    expect(await asCaller(modes, sent("bearer  mill_good"))).toBe(worker)
  })

  test.each(["Bearer mill_bad", "Bearer", "Bearer ", "Basic bWlsbA==", "mill_good", "Bearer mill_good mill_good", ""])(
    "SEC-02: %j is not a key, not even on loopback",
    async (header) => {
      await expect(async () => asCaller(modes, sent(header))).rejects.toThrow("not known")
    },
  )

  test("SEC-13: a header that is too long is refused before anybody looks at it", async () => {
    let asked = 0
    const counting = {
      ...modes,
      findKey: async () => {
        asked++
        return worker
      },
    }
    expect(() => asCaller(counting, sent(`Bearer ${"a".repeat(16_384)}`))).toThrow("not known")
    expect(asked).toBe(0)
  })

  test("a key that is remembered needs no turn of the event loop, and its digest is not worked out again", () => {
    const digests: (string | undefined)[] = []
    const remembering = {
      ...modes,
      findKey: (key: string, digest?: string) => {
        digests.push(digest)
        return key === "mill_good" ? worker : undefined
      },
    }
    expect(asCaller(remembering, sent("Bearer mill_good"), { digest: "d1" })).toBe(worker)
    expect(() => asCaller(remembering, sent("Bearer mill_bad"), { digest: "d2" })).toThrow("not known")
    expect(digests).toEqual(["d1", "d2"])
  })
})

describe("SEC-19: a session in a cookie", () => {
  const guarded = { ...modes, auth: "required" } as const
  const cookie = `theme=dark; millrace-session=${SESSION}`
  const host = "mill.example.com"

  test("SEC-19: stands for its key, where no Authorization is sent", async () => {
    expect(await asCaller(guarded, { cookie })).toBe(worker)
    expect(await asCaller(guarded, { cookie: `__Host-${cookie.slice(12)}` })).toBe(worker)
    await expect(asCaller(guarded, { cookie, authorization: "Bearer mill_bad" })).rejects.toThrow("not known")
    expect(asCaller(modes, { cookie })).toBe(LOCAL)
  })

  test.each(["", "millrace-session", "xmillrace-session=s", "millrace-session2=s"])(
    "%j is no session",
    (sentCookie) => {
      expect(() => asCaller(guarded, { cookie: sentCookie })).toThrow("an API key is required")
    },
  )

  test("SEC-19: to look again at who has a stream open is no use of the session", async () => {
    const use = () => Promise.reject(new Error("used"))
    const watched = { ...guarded, sessions: { ...sessions, use } }
    expect(await asCaller(watched, { cookie }, { again: true })).toBe(worker)
    await expect(asCaller(watched, { cookie })).rejects.toThrow("used")
  })

  test("SEC-19: one that is over says so", async () => {
    await expect(asCaller(guarded, { cookie: "millrace-session=other" })).rejects.toThrow("sign in again")
  })

  test.each([
    { origin: "https://evil.test" },
    { origin: "null" },
    { origin: "http://other.example.com" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ])("SEC-03: does not count for the page of another origin: %j", (foreign) => {
    expect(() => asCaller(guarded, { cookie, host, ...foreign })).toThrow("an API key is required")
  })

  test.each([
    { origin: `https://${host}`, "sec-fetch-site": "same-origin" },
    { origin: `http://${host}` },
    { "sec-fetch-site": "none" },
  ])("SEC-03: counts for our own: %j", async (own) => {
    expect(await asCaller(guarded, { cookie: `__Host-millrace-session=${SESSION}`, host, ...own })).toBe(worker)
  })

  test.each([{ "x-forwarded-proto": "https" }, { "x-forwarded-proto": "https, http" }, { origin: `https://${host}` }])(
    "SEC-19: over TLS the plain cookie, which a neighbouring host could set, is not taken: %j",
    (overTls) => {
      expect(() => asCaller(guarded, { cookie, host, ...overTls })).toThrow("an API key is required")
    },
  )
})

describe("SEC-27: what a key may do", () => {
  const all: Permission[] = [
    "definitions:read",
    "definitions:write",
    "instances:read",
    "instances:write",
    "jobs:work",
    "jobs:read",
    "jobs:write",
    "queues:write",
    "tasks:read",
    "tasks:write",
    "metrics:read",
    "admin",
  ]

  test.each(all)("a key with the scope %s may do that and nothing else", (scope) => {
    for (const permission of all) {
      const allowed = scope === permission || scope === "admin"
      const check = () => authorize(withScopes(scope), permission)
      if (allowed) expect(check).not.toThrow()
      else expect(check).toThrow(`no scope ${permission}`)
    }
  })

  test("a key without scopes may do nothing", () => {
    for (const permission of all) expect(() => authorize(withScopes(), permission)).toThrow("no scope")
  })

  test("SEC-31: a worker's key is limited to its job types", () => {
    expect(() => authorize(worker, "jobs:work")).not.toThrow()
    expect(() => authorize(worker, "instances:read")).toThrow("no scope")
    expect(() => authorizeJobTypes(worker, ["mail", "print"])).not.toThrow()
    expect(() => authorizeJobTypes(worker, ["mail", "pay"])).toThrow(
      expect.objectContaining({
        message: "this key may not work on pay",
        details: [{ path: "$.jobTypes[1]", message: "is not among the scopes of this key" }],
      }),
    )
    expect(() => authorizeJobTypes(withScopes("jobs:work:mail", "tasks:read"), ["tasks:read"])).toThrow("may not work")
    expect(() => authorizeJobTypes(withScopes("jobs:work", "jobs:work:mail"), ["pay"])).not.toThrow()
    expect(() => authorizeJobTypes(LOCAL, ["pay"])).not.toThrow()
  })

  test("SEC-31: a limited key reports with the token it was given, not with a worker's name", () => {
    expect(() => authorizeReport(worker, true)).not.toThrow()
    expect(() => authorizeReport(worker, false)).toThrow("must send the lease token")
    expect(() => authorizeReport(withScopes("jobs:work"), false)).not.toThrow()
  })
})

describe("W-05: a caller from a trusted network", () => {
  const findTrusted = trustNetworks(["10.0.0.0/8"], ["jobs:work"])
  const guarded = { ...modes, auth: "required", findTrusted } as const
  const from = (address: string, headers: IncomingHttpHeaders = {}) => authenticate(guarded, { headers, address })

  test("W-05: needs no credential, and has the scopes that are named", () => {
    expect(from("10.1.2.3")).toMatchObject({ name: "trusted network", scopes: ["jobs:work"] })
    expect(from("::ffff:10.1.2.3")).toMatchObject({ name: "trusted network" })
  })

  test("SEC, W-05: is known by its connection, not by what it sends", () => {
    const forged = { "x-forwarded-for": "10.1.2.3", forwarded: "for=10.1.2.3", "x-real-ip": "10.1.2.3" }
    expect(() => from("192.0.2.1", forged)).toThrow("an API key is required")
    expect(() => authenticate(guarded, { headers: forged })).toThrow("an API key is required")
  })

  test("SEC, W-05: a credential that is sent counts, a wrong one is refused", async () => {
    await expect(from("10.1.2.3", sent("Bearer mill_bad"))).rejects.toThrow("not known")
    expect(await from("10.1.2.3", sent("Bearer mill_good"))).toBe(worker)
  })

  test("SEC, W-05: off by default", () => {
    expect(() => authenticate({ ...guarded, findTrusted: undefined }, { headers: {}, address: "10.1.2.3" })).toThrow(
      "an API key is required",
    )
  })
})
