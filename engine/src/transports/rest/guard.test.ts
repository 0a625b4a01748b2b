// The guard in front of REST, over real connections: limits, blocks, delays, and what a refused caller is told.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import {
  createGuardedServer,
  createGuardedServerBeside,
  type GuardedServer,
  settledAt,
} from "./test-support/guarded-server.ts"
import type { Reply } from "./test-support/reply.ts"

let engine: TestEngine
let server: GuardedServer
let admin: string
beforeAll(async () => {
  engine = await createTestEngine()
  server = await createGuardedServer({ engine })
  admin = await server.key()
  // The first answer makes the test kit read the contract, which takes seconds.
  await server.call("GET /healthz", { ip: "10.9.9.9" })
})
afterAll(async () => {
  await server.close()
  await engine.close()
})
afterEach(() => server.clock.advance(3_600_000))

const operate = (route: string, options = {}) => server.call(route, { ip: "10.9.9.9", key: admin }, options)
const session = (ip: string, agent?: string) => server.call("GET /v1/session", { ip, ...(agent ? { agent } : {}) })
const count = (replies: readonly Reply[], status: number) => replies.filter((reply) => reply.status === status).length
const many = (times: number, ip: string) => Promise.all(Array.from({ length: times }, () => session(ip)))

describe("E-07: the limit of public routes", () => {
  test("E-F1, E-30: 150 calls at once are 100 and 50, and the next 150 none", async () => {
    const first = await many(150, "192.0.2.1")
    expect([count(first, 200), count(first, 429)]).toEqual([100, 50])
    const second = await many(150, "192.0.2.1")
    expect([count(second, 200), count(second, 429)]).toEqual([0, 150])
  })

  test("E-T1: N before the edge of a window and N after it are N", async () => {
    server.clock.advance(59_000)
    expect(count(await many(100, "192.0.2.2"), 200)).toBe(100)
    server.clock.advance(2_000)
    expect(count(await many(100, "192.0.2.2"), 200)).toBe(0)
    server.clock.advance(59_000)
    expect(count(await many(100, "192.0.2.2"), 200)).toBe(100)
  })

  test("E-T2, E-X2: five calls at the same moment are five", async () => {
    const replies = await many(5, "192.0.2.3")
    expect(replies.map(({ headers }) => headers.get("x-ratelimit-remaining")).sort()).toEqual([
      "95",
      "96",
      "97",
      "98",
      "99",
    ])
  })

  test("E-08: a refused call is told when to come back, an allowed one how many are left", async () => {
    const replies = await many(101, "192.0.2.4")
    const refused = replies.find(({ status }) => status === 429)
    expect(refused?.headers.get("retry-after")).toBe("60")
    expect(refused?.headers.get("x-ratelimit-remaining")).toBeNull()
    expect(refused?.body).toMatchObject({ error: "rate-limited" })
  })

  test("E-X11, SEC-60: callers without a credential are counted by their address, not together", async () => {
    await many(120, "192.0.2.5")
    expect((await session("192.0.2.6")).status).toBe(200)
  })

  test("SEC-04: an IPv6 address counts by its /64, and an IPv4 address that is written as IPv6 is the same one", async () => {
    for (let n = 0; n < 100; n++) await session(`2001:db8:0:7::${n.toString(16)}`)
    expect((await session("2001:db8:0:7:ffff::1")).status).toBe(429)
    expect((await session("2001:db8:0:8::1")).status).toBe(200)
    await many(100, "192.0.2.7")
    expect((await session("::ffff:192.0.2.7")).status).toBe(429)
  })

  test("E-38: paths that do not exist are limited like public ones", async () => {
    const replies = await Promise.all(
      Array.from({ length: 120 }, (_, n) => server.call(`GET /nope/${n}`, { ip: "192.0.2.8" })),
    )
    expect([count(replies, 404), count(replies, 429)]).toEqual([100, 20])
  })

  test("E-38: the way to a provider is no sign-in: loading it again and again shuts none", async () => {
    const start = () => server.call("GET /auth/oidc/start", { ip: "192.0.2.12" })
    const signIn = () => server.call("POST /v1/session", { ip: "192.0.2.12" }, { body: { key: "mill_wrong" } })
    const replies = await Promise.all(Array.from({ length: 120 }, start))
    expect([count(replies, 404), count(replies, 429)]).toEqual([100, 20])
    expect((await signIn()).status).toBe(401)
  })

  test("E-08, E-38: probes, the page and the metrics have no limit", async () => {
    const calls = Array.from({ length: 150 }, () => server.call("GET /healthz", { ip: "192.0.2.9" }))
    expect(count(await Promise.all(calls), 200)).toBe(150)
  })
})

describe("E-X7: the address behind proxies", () => {
  test("SEC-04: what a client writes itself into X-Forwarded-For gets it no other address", async () => {
    const spoofed = (n: number) => server.call("GET /v1/session", { ip: `198.51.100.${n}, 192.0.2.10` })
    for (let n = 0; n < 100; n++) await spoofed(n)
    expect((await spoofed(200)).status).toBe(429)
    expect((await session("198.51.100.7")).status).toBe(200)
  })

  test("SEC-04: a client does not choose the header: only the one that the proxies write is read", async () => {
    const own = await createGuardedServerBeside(engine, { WE_TRUSTED_PROXY_HEADER: "forwarded" })
    const seenBy = async (at: GuardedServer, headers: Record<string, string>) => {
      const { body } = await at.call("GET /v1/instances", { ip: "" }, { headers })
      return at.lines.find(({ requestId }) => requestId === body.requestId)?.remote
    }
    const [listed, standard] = [{ "x-forwarded-for": "192.0.2.12" }, { forwarded: "for=192.0.2.13" }]
    expect(await seenBy(server, { ...listed, ...standard })).toBe("192.0.2.12")
    expect(await seenBy(server, standard)).toBe("127.0.0.1")
    expect(await seenBy(own, { ...listed, ...standard })).toBe("192.0.2.13")
    expect(await seenBy(own, listed)).toBe("127.0.0.1")
    await own.close()
  })

  test("the log has the client's address, not the proxy's", async () => {
    await server.call("GET /v1/instances", { ip: "192.0.2.11" })
    expect(server.lines.find(({ remote }) => remote === "192.0.2.11")).toMatchObject({ status: 401 })
  })
})

describe("E-04: hard blocks", () => {
  test("E-T7, E-44: a blocked agent gets 403 at once, and is served again once it is unblocked", async () => {
    expect((await session("192.0.2.20", "BadBot/1.0")).status).toBe(200)
    expect((await operate("POST /admin/block-agent?user_agent=BadBot/1.0")).body).toEqual({
      blocked_agent: "BadBot/1.0",
    })
    expect((await session("192.0.2.20", "BadBot/1.0")).status).toBe(403)
    expect((await session("192.0.2.20", "bADbOT/1.0")).status).toBe(403)
    expect((await session("192.0.2.20", "GoodBot/1.0")).status).toBe(200)
    const lifted = await operate("DELETE /admin/block-agent?user_agent=badbot/1.0%20")
    expect(lifted.body).toEqual({ unblocked: "badbot/1.0 ", was_blocked: true })
    expect((await session("192.0.2.20", "BadBot/1.0")).status).toBe(200)
  })

  test("E-X8: an address that was blocked is let in again, though the filter still knows it", async () => {
    expect((await operate("POST /admin/block-ip/192.0.2.21")).body).toEqual({ hard_blocked: "192.0.2.21" })
    expect((await session("192.0.2.21")).status).toBe(403)
    expect((await operate("GET /admin/block-status/192.0.2.21")).body).toMatchObject({ hard_blocked_bloom: true })
    expect((await operate("DELETE /admin/block-ip/192.0.2.21")).body).toMatchObject({ unblocked: "192.0.2.21" })
    expect((await session("192.0.2.21")).status).toBe(200)
    expect((await operate("GET /admin/block-status/192.0.2.21")).body).toMatchObject({ hard_blocked_bloom: false })
  })

  test("E-01, E-X5: authentication comes first: without a credential a blocked address gets 401 where one is needed", async () => {
    await operate("POST /admin/block-ip/192.0.2.22")
    expect((await server.call("GET /v1/instances", { ip: "192.0.2.22" })).status).toBe(401)
    expect((await server.call("GET /v1/instances", { ip: "192.0.2.22", key: admin })).status).toBe(403)
    await operate("DELETE /admin/block-ip/192.0.2.22")
  })
})

describe("E-13: soft blocks and delays", () => {
  test("E-T6, E-44: a soft block answers 429, and is lifted by an operator or by time", async () => {
    expect((await operate("POST /admin/soft-block-ip/192.0.2.30")).body).toEqual({ soft_blocked: "192.0.2.30" })
    const refused = await session("192.0.2.30")
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "300"])
    const status = await operate("GET /admin/block-status/192.0.2.30")
    expect(status.body).toMatchObject({ ip: "192.0.2.30", soft_blocked: true, hard_blocked_bloom: false })
    expect((await operate("DELETE /admin/soft-block-ip/192.0.2.30")).body).toMatchObject({ unblocked: "192.0.2.30" })
    expect((await session("192.0.2.30")).status).toBe(200)
    await operate("POST /admin/soft-block-ip/192.0.2.30")
    server.clock.advance(301_000)
    expect((await session("192.0.2.30")).status).toBe(200)
  })

  test("E-T6, E-13, E-36: a throttled call is held for two seconds, and then served with Retry-After 2", async () => {
    const visit = { routeClass: "client", address: "192.0.2.33", path: "/v1/instances", requestId: "r" } as const
    for (let n = 0; n < 7; n++) await server.guard.credentialFailed(visit, { digest: `guess ${n}` })
    const call = server.call("GET /v1/instances", { ip: "192.0.2.33", key: await server.key() })
    await expect.poll(() => server.guard.counts.held).toBe(1)
    server.clock.advance(1_999)
    expect(server.guard.counts.held).toBe(1)
    server.clock.advance(1)
    const { status, headers } = await call
    expect([status, headers.get("retry-after"), server.guard.counts.held]).toEqual([200, "2", 0])
  })

  test("E-12, E-X3: a caller that comes exactly every half second is found within 20 calls, and one that does not is not", async () => {
    const statuses: number[] = []
    for (let n = 0; n < 20; n++) {
      server.clock.advance(500)
      statuses.push((await settledAt(server, session("192.0.2.31"))).status)
    }
    expect(statuses).toContain(429)
    for (let n = 0; n < 20; n++) {
      server.clock.advance(200 + ((n * 7_919) % 4_000))
      expect((await session("192.0.2.32")).status).toBe(200)
    }
  })
})

/** Resolves once one more request waits for the clock. */
describe("E-32: what a refused caller is told", () => {
  const bare = ({ status, text, headers }: Reply) => {
    const names = ["retry-after", "x-ratelimit-remaining", "www-authenticate"]
    return { status, text: text.replace(/"requestId":"[^"]*"/, ""), told: names.map((name) => headers.get(name)) }
  }

  test("E-32: of blocked address and blocked agent the same bytes", async () => {
    await operate("POST /admin/block-ip/192.0.2.40", { body: { reason: "canary" } })
    await operate("POST /admin/block-agent", { body: { user_agent: "Canary/9", reason: "canary" } })
    const [byAddress, byAgent] = [await session("192.0.2.40"), await session("192.0.2.41", "Canary/9")]
    expect(bare(byAddress)).toEqual(bare(byAgent))
    expect(byAddress.text).not.toMatch(/canary|block|agent|address/i)
    await operate("DELETE /admin/block-ip/192.0.2.40")
    await operate("DELETE /admin/block-agent?user_agent=Canary/9")
  })

  test("E-32, SEC-57: of a limit and of a block the same words; which it was is in the log, with the request id", async () => {
    const limited = (await many(101, "192.0.2.42")).find(({ status }) => status === 429) as Reply
    await operate("POST /admin/soft-block-ip/192.0.2.43", { body: { for: "PT1M" } })
    const blocked = await session("192.0.2.43")
    expect(bare(limited)).toEqual(bare(blocked))
    const lineOf = ({ body }: Reply) => server.lines.find(({ requestId }) => requestId === body.requestId)
    expect(lineOf(limited)?.guard).toMatchObject({ state: "soft-blocked", rule: "rate", reason: expect.any(String) })
    expect(lineOf(blocked)?.guard).toMatchObject({ rule: "blocked-address", reason: "blocked by an operator" })
    await operate("DELETE /admin/soft-block-ip/192.0.2.43")
  })
})
