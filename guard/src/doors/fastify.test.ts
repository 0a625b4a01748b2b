// The guard in front of a real Fastify server.
import { once } from "node:events"
import { connect } from "node:net"
import Fastify, { type FastifyInstance } from "fastify"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createGuard } from "../create-guard.ts"
import type { RunningGuard } from "../guard.ts"
import { MemoryLedger } from "../memory-ledger.ts"
import type { GuardOptions } from "../options.ts"
import { networkList } from "../rules/network-list.ts"
import { type SettableClock, settableClock } from "../test-support/settable-clock.ts"
import { guardPlugin } from "./fastify.ts"

let clock: SettableClock
let ledger: MemoryLedger
let guard: RunningGuard
let server: FastifyInstance
let base = ""

async function serve(options: GuardOptions = {}): Promise<void> {
  guard = createGuard({ clock, ledger, random: () => 0.5, ...options })
  await guard.start()
  server = Fastify()
  await server.register(guardPlugin, {
    guard,
    proxies: { isTrusted: networkList(["127.0.0.0/8"]) },
    identify: (request, reply) => {
      if (request.headers.authorization === "wrong") {
        reply.code(401).send({ error: "unauthenticated" })
        return undefined
      }
      const name = request.headers.authorization
      return { routeClass: request.url === "/health" ? "health" : "gateway", client: name && `user:${name}` }
    },
  })
  server.get("/health", () => "ok")
  server.get("/things/:id", () => "served")
  base = await server.listen({ port: 0, host: "127.0.0.1" })
}

beforeEach(() => {
  clock = settableClock()
  ledger = new MemoryLedger(clock.date)
})
afterEach(async () => {
  await server.close()
  await guard.close()
})

const call = (headers: Record<string, string> = {}, path = "/things/7") => fetch(base + path, { headers })
const statuses = async (count: number, headers = {}) =>
  (await Promise.all(Array.from({ length: count }, () => call(headers)))).map(({ status }) => status)

describe("the Fastify plugin", () => {
  test("E-F1, E-30: of 150 parallel requests exactly 100 get 200 and 50 get 429, and of the next 150 none gets 200", async () => {
    await serve()
    const first = await statuses(150, { authorization: "ada" })
    expect([first.filter((one) => one === 200).length, first.filter((one) => one === 429).length]).toEqual([100, 50])
    expect(new Set(await statuses(150, { authorization: "ada" }))).toEqual(new Set([429]))
  })

  test("E-08: an allowed request tells what is left, a refused one when to come back", async () => {
    await serve({ limits: { gateway: { requests: 1, windowMs: 60_000 } } })
    const allowed = await call()
    expect([allowed.status, allowed.headers.get("x-ratelimit-remaining")]).toEqual([200, "0"])
    const refused = await call()
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"])
    const health = await call({}, "/health")
    expect([health.status, health.headers.get("x-ratelimit-remaining")]).toEqual([200, null])
  })

  test("E-32: refusals of different rules have one body, and name no rule", async () => {
    await serve({ limits: { gateway: { requests: 1, windowMs: 60_000 } } })
    await guard.block({ kind: "agent", value: "BadBot", reason: "secret reason", by: "ada" })
    await guard.softBlock("203.0.113.9", { reason: "secret reason", by: "ada" })
    await call()
    const answers = await Promise.all([
      call(),
      call({ "user-agent": "BadBot" }),
      call({ "x-forwarded-for": "203.0.113.9" }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([429, 403, 429])
    const bodies = await Promise.all(answers.map((answer) => answer.json() as Promise<Record<string, string>>))
    expect(new Set(bodies.map(({ message }) => message)).size).toBe(1)
    expect(JSON.stringify(bodies)).not.toMatch(/secret|rule|regular|agent|address|bloom/i)
    expect(answers[1]?.headers.get("retry-after")).toBeNull()
  })

  test("SEC-04: a request with so many lines that Node would drop the last is refused before it is judged", async () => {
    await serve()
    const socket = connect(Number(new URL(base).port), "127.0.0.1")
    let answer = ""
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text
    })
    const lines = "a: b\r\n".repeat(1_100)
    socket.write(
      `GET /things/7 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n${lines}X-Forwarded-For: 203.0.113.9\r\n\r\n`,
    )
    await once(socket, "close")
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*bad-request/s)
    expect((await call()).headers.get("x-ratelimit-remaining")).toBe("99")
  })

  test("E-T6, E-13, E-36: a throttled request is served after 2 s with Retry-After 2", async () => {
    await serve()
    for (let at = 0; at < 19; at++) {
      expect((await call()).status).toBe(200)
      clock.advance(at % 2 === 0 ? 4_360 : 3_640)
    }
    const answer = call()
    await expect.poll(() => guard.counts.held).toBe(1)
    clock.advance(2_000)
    const { status, headers } = await answer
    expect([status, headers.get("retry-after")]).toEqual([200, "2"])
  })

  test("E-36: a caller that hangs up while it is held leaves its place", async () => {
    await serve()
    for (let at = 0; at < 19; at++) {
      await call()
      clock.advance(at % 2 === 0 ? 4_360 : 3_640)
    }
    const socket = connect(Number(new URL(base).port), "127.0.0.1")
    await once(socket, "connect")
    socket.write("GET /things/7 HTTP/1.1\r\nHost: test\r\n\r\n")
    await expect.poll(() => guard.counts.held).toBe(1)
    socket.destroy()
    await expect.poll(() => guard.counts.held).toBe(0)
  })

  test("SEC-04: the client is the one behind the trusted proxy", async () => {
    await serve({ limits: { gateway: { requests: 1, windowMs: 60_000 } } })
    const from = async (address: string) => (await call({ "x-forwarded-for": address })).status
    expect([await from("203.0.113.1"), await from("203.0.113.1"), await from("203.0.113.2")]).toEqual([200, 429, 200])
    // What the client wrote itself stands on the left.
    expect(await from("198.51.100.77, 203.0.113.1")).toBe(429)
  })

  test("E-T3, E-15, E-X10, G3: in shadow the answer is that of a server without rules, and what would have happened is noted once", async () => {
    await serve({ limits: { gateway: { requests: 1, windowMs: 60_000 } }, shadow: { all: true, rules: {} } })
    const plain = Fastify().get("/things/:id", () => "served")
    const without = await fetch(`${await plain.listen({ port: 0, host: "127.0.0.1" })}/things/7`)
    const names = (answer: Response) => [...answer.headers.keys()].sort()
    const [, second] = [await call(), await call()]
    expect([second.status, await second.text(), names(second)]).toEqual([200, await without.text(), names(without)])
    await guard.flush()
    expect(ledger.shadowEvents).toMatchObject([
      { rule: "rate", state: "soft-blocked", client: "ip:127.0.0.1", path: "/things/:id" },
    ])
    await plain.close()
  })

  test("E-03: a request that was answered by identify is not judged", async () => {
    await serve()
    expect(await statuses(120, { authorization: "wrong" })).toEqual(Array(120).fill(401))
  })
})
