// `millrace guard` on a real engine over real HTTP: what it says is what is.
import { afterAll, beforeAll, expect, test } from "vitest"
import { createGuardedServer, type GuardedServer } from "../../../transports/rest/test-support/guarded-server.ts"
import { runCommand } from "../../test-support/run-command.ts"

let server: GuardedServer
let key: string
beforeAll(async () => {
  server = await createGuardedServer()
  key = await server.key()
})
afterAll(() => server.close())

const run = (...argv: string[]) =>
  runCommand(["guard", ...argv], { env: { WE_URL: server.grpc.rest.url, WE_API_KEY: key } })
const json = async (...argv: string[]) => {
  const { code, out, err } = await run(...argv, "--json")
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return JSON.parse(out)
}
const visit = async (ip: string, agent?: string) =>
  (await server.call("GET /v1/session", { ip, ...(agent ? { agent } : {}) })).status

test("E-X8: an address is blocked, shown with its reason, and unblocked", async () => {
  expect((await run("block", "192.0.2.7", "--reason", "scrapes", "--for", "7d")).out).toBe(
    "Blocked 192.0.2.7 on every replica.\n",
  )
  expect(await visit("192.0.2.7")).toBe(403)
  const why = await run("why", "192.0.2.7")
  expect(why.out).toMatch(/^ip:192\.0\.2\.7 +blocked$/m)
  expect(why.out).toMatch(/^blocked-address +scrapes by k until /m)
  expect((await run()).out).toMatch(/^192\.0\.2\.7 +hard address .* scrapes$/m)
  expect((await run("unblock", "192.0.2.7")).out).toBe("Unblocked 192.0.2.7.\n")
  expect((await run("unblock", "192.0.2.7")).out).toBe("192.0.2.7 was not blocked.\n")
  expect(await visit("192.0.2.7")).toBe(200)
})

test("why: a block without an end is there until an operator lifts it", async () => {
  await run("block", "192.0.2.8", "--reason", "scrapes")
  const why = await run("why", "192.0.2.8")
  expect(why.out).toMatch(/^ip:192\.0\.2\.8 +blocked until an operator lifts it$/m)
  expect(why.out).toMatch(/^blocked-address +scrapes by k$/m)
  await run("unblock", "192.0.2.8")
})

test("E-X8: an operator's own address, own agent and a trusted proxy are not blocked by a slip", async () => {
  for (const more of [[], ["--soft"]])
    expect(await run("block", "127.0.0.1", ...more)).toMatchObject({
      code: 1,
      err: expect.stringContaining("you would shut yourself out"),
    })
  const from = { ip: "192.0.2.30", key, agent: "operator/1" }
  const blocked = async (route: string) => {
    const { status, body } = await server.call(route, from)
    return [status, body.error]
  }
  expect(await blocked("POST /admin/block-ip/192.0.2.30")).toEqual([409, "conflict"])
  expect(await blocked("POST /admin/soft-block-ip/::ffff:192.0.2.30")).toEqual([409, "conflict"])
  expect(await blocked("POST /admin/block-agent?user_agent=operator/1")).toEqual([409, "conflict"])
  expect(await blocked("POST /admin/block-agent?user_agent=%20OPERATOR/1")).toEqual([409, "conflict"])
  expect(await blocked("POST /admin/block-agent?user_agent=%20")).toEqual([400, "bad-request"])
  expect(await blocked("POST /admin/block-ip/127.0.0.1")).toEqual([409, "conflict"])
  expect(await visit("192.0.2.30", "operator/1")).toBe(200)
})

test("E-X8: an administrator at an address that is blocked still reaches the guard, and nothing else", async () => {
  const from = { ip: "192.0.2.31", key, agent: "operator/2" }
  const status = async (route: string) => (await server.call(route, from)).status
  await json("block", "192.0.2.31")
  await json("block", "192.0.2.31", "--soft")
  await json("block", "--agent", "operator/2")
  expect(await status("GET /v1/instances")).toBe(403)
  expect(await status("GET /v1/api-keys")).toBe(403)
  expect(await status("GET /admin/block-status/192.0.2.31")).toBe(200)
  const stranger = { ...from, key: await server.key({ scopes: ["instances:read"] }) }
  expect((await server.call("DELETE /admin/block-ip/192.0.2.31", stranger)).status).toBe(403)
  expect((await server.call("DELETE /admin/block-ip/192.0.2.31", { ...from, key: "mill_wrong" })).status).toBe(401)
  for (const route of ["block-ip/192.0.2.31", "soft-block-ip/192.0.2.31", "block-agent?user_agent=operator/2"])
    expect(await status(`DELETE /admin/${route}`)).toBe(200)
  expect(await status("GET /v1/instances")).toBe(200)
})

test("an agent is blocked and unblocked; a soft block is lifted by the client's name", async () => {
  await json("block", "--agent", "BadBot/1.0")
  expect(await visit("192.0.2.8", "BadBot/1.0")).toBe(403)
  expect(await json("unblock", "--agent", "BadBot/1.0")).toEqual({ unblocked: "BadBot/1.0", was_blocked: true })
  await json("block", "192.0.2.9", "--soft")
  expect(await visit("192.0.2.9")).toBe(429)
  expect(await json("unblock", "ip:192.0.2.9")).toEqual({ unblocked: "ip:192.0.2.9", was_blocked: true })
  expect(await visit("192.0.2.9")).toBe(200)
})

test("E-16: shadow mode is shown and switched, of all rules and of one", async () => {
  expect((await run("shadow")).out).toMatch(/^Shadow mode +off$/m)
  expect(await json("shadow", "on")).toMatchObject({ all: true })
  expect(await json("shadow", "off", "--rule", "rate")).toMatchObject({ all: true, rules: { rate: false } })
  expect(await json("shadow", "off")).toMatchObject({ all: false, rules: {} })
  expect(await run("shadow", "perhaps")).toMatchObject({ code: 2 })
})

test("top shows who calls most, and report what shadow mode would have refused", async () => {
  for (let n = 0; n < 5; n++) await visit("192.0.2.10")
  expect((await run("top")).out).toMatch(/^192\.0\.2\.10 +\d+ +0$/m)
  expect((await run("report")).out).toBe("Shadow mode would have refused nothing in the last 24 hours.\n")
})

test("what is called wrongly is said before anything is sent", async () => {
  expect(await run("block")).toMatchObject({ code: 2, err: expect.stringContaining("name an address") })
  expect(await run("block", "not-an-address")).toMatchObject({ code: 1, err: expect.stringContaining("path.ip") })
  expect(await run("shadow", "on", "--rule", "nonsense")).toMatchObject({ code: 2 })
})
