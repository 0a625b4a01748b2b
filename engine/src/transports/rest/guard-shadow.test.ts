// Shadow mode over two replicas: what would be refused is noted and passes, from the next request on, everywhere.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { guardNotesOf } from "../../operations/guard/notes.ts"
import { stopClock } from "../../test-support/database-clock.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createGuardedServer, type GuardedServer } from "./test-support/guarded-server.ts"

let engine: TestEngine
let other: Awaited<ReturnType<typeof openTestCore>>
let one: GuardedServer
let two: GuardedServer
let admin: string
beforeAll(async () => {
  engine = await createTestEngine()
  other = await openTestCore(engine.dsn)
  one = await createGuardedServer({ engine })
  two = await createGuardedServer({ engine: { ...engine, core: other, kernel: other.kernel, db: other.kernel.db } })
  admin = await one.key()
  // The first answer makes the test kit read the contract, which keeps both from their pulse for seconds.
  await one.call("GET /healthz", { ip: "10.9.9.9" })
  await vi.waitUntil(() => engine.core.healthy() && other.healthy(), { timeout: 60_000 })
  // No process is taken for dead because the machine stood still, and all that is noted is of one moment.
  for (const kernel of [engine.kernel, other.kernel]) await stopClock(kernel)
})
afterAll(async () => {
  await one.close()
  await two.close()
  await other.stop()
  await engine.close()
})

const operate = (route: string, options = {}) => one.call(route, { ip: "10.9.9.9", key: admin }, options)
const statuses = async (server: GuardedServer, ip: string, times: number) => {
  const replies = await Promise.all(Array.from({ length: times }, () => server.call("GET /v1/session", { ip })))
  return [replies.filter(({ status }) => status === 200).length, replies.filter(({ status }) => status === 429).length]
}
/** What is noted waits a tenth of a second of the guard's clock, and a second of the service's. */
async function written(): Promise<void> {
  for (const { guard, engine: replica } of [one, two]) {
    await guard.flush()
    await guardNotesOf(replica.kernel).flush(replica.kernel)
  }
}

test("E-37, G4: a block is in force on every replica when its answer is there", async () => {
  await operate("POST /admin/block-ip/192.0.2.9")
  for (const server of [one, two]) expect((await server.call("GET /v1/session", { ip: "192.0.2.9" })).status).toBe(403)
  await operate("DELETE /admin/block-ip/192.0.2.9")
  for (const server of [one, two]) expect((await server.call("GET /v1/session", { ip: "192.0.2.9" })).status).toBe(200)
})

test("E-13: a soft block and a pardon by an operator reach every replica", async () => {
  await operate("POST /admin/soft-block-ip/192.0.2.10")
  for (const server of [one, two]) expect((await server.call("GET /v1/session", { ip: "192.0.2.10" })).status).toBe(429)
  await operate("DELETE /admin/soft-block-ip/192.0.2.10")
  for (const server of [one, two]) expect((await server.call("GET /v1/session", { ip: "192.0.2.10" })).status).toBe(200)
})

test("E-T3, E-15, E-16, E-37: shadow mode lets pass and notes, on the other replica too; turned off it refuses", async () => {
  const on = await operate("POST /admin/shadow-mode?enabled=true")
  expect(on.body).toMatchObject({ all: true, rules: {}, source: "database", changed_by: "k" })
  for (const server of [one, two]) expect(await statuses(server, "192.0.2.11", 120)).toEqual([120, 0])
  await written()
  expect((await operate("GET /admin/shadow-stats")).body).toEqual({ total: 40, by_rule: { rate: 40 } })
  const { items } = (await operate("GET /admin/shadow-report?rule=rate")).body
  expect(items).toEqual([
    expect.objectContaining({ rule: "rate", client: "ip:192.0.2.11", path: "/v1/session", count: 40 }),
  ])
  await operate("POST /admin/shadow-mode?enabled=false")
  for (const server of [one, two]) expect(await statuses(server, "192.0.2.12", 120)).toEqual([100, 20])
})

test("E-X6: what was counted in shadow blocks nobody when shadow ends", async () => {
  await operate("POST /admin/shadow-mode?enabled=true")
  await statuses(one, "192.0.2.13", 150)
  await operate("POST /admin/shadow-mode?enabled=false")
  expect(await statuses(one, "192.0.2.13", 100)).toEqual([100, 0])
})

test("E-X10, SEC-67: blocks obey it too, one rule by itself as well; authentication never does", async () => {
  await operate("POST /admin/block-ip/192.0.2.14")
  await operate("POST /admin/shadow-mode?enabled=true&rule=blocked-address")
  expect((await two.call("GET /v1/session", { ip: "192.0.2.14" })).status).toBe(200)
  expect(await statuses(two, "192.0.2.15", 120)).toEqual([100, 20])
  await operate("POST /admin/shadow-mode?enabled=true")
  expect((await two.call("GET /v1/instances", { ip: "192.0.2.14", key: "mill_wrong" })).status).toBe(401)
  expect((await two.call("GET /v1/instances", { ip: "192.0.2.14" })).status).toBe(401)
  await operate("POST /admin/shadow-mode?enabled=false")
  expect((await two.call("GET /v1/session", { ip: "192.0.2.14" })).status).toBe(403)
})

test("an operator's change is made once per key, and is in the record of changes with who made it", async () => {
  const headers = { "idempotency-key": "block-once" }
  const first = await operate("POST /admin/block-ip/192.0.2.16", { headers })
  const again = await operate("POST /admin/block-ip/192.0.2.16", { headers })
  expect([first.body, again.body]).toEqual([{ hard_blocked: "192.0.2.16" }, { hard_blocked: "192.0.2.16" }])
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  const rows = await engine.db.script("select actor from millrace.changes where kind = 'guard' and name = '192.0.2.16'")
  expect(rows).toEqual([{ actor: "k" }])
})

test("lists have pages, reasons, who, when and until when; what is over is not in them", async () => {
  await operate("POST /admin/block-ip/192.0.2.17", { body: { reason: "scrapes", for: "PT1H" } })
  await operate("POST /admin/soft-block-ip/192.0.2.18", { body: { reason: "floods", for: "PT10M" } })
  const first = (await operate("GET /admin/blocks?pageSize=1")).body
  expect(first.items).toEqual([
    expect.objectContaining({ degree: "soft", value: "ip:192.0.2.18", reason: "floods", blocked_by: "k" }),
  ])
  const second = (await operate(`GET /admin/blocks?pageSize=1&cursor=${first.next_cursor}`)).body
  expect(second.items[0]).toMatchObject({ degree: "hard", value: "192.0.2.17", blocked_until: expect.any(String) })
  await engine.advanceClock(2 * 3_600_000)
  const left = (await operate("GET /admin/blocks")).body.items.map(({ value }: { value: string }) => value)
  expect(left).not.toContain("192.0.2.17")
  expect(left).not.toContain("ip:192.0.2.18")
})

test("the guard as a whole: traffic by verdict, and who calls most", async () => {
  await statuses(one, "192.0.2.19", 120)
  await written()
  const { body } = await operate("GET /admin/guard")
  expect(body).toMatchObject({ is_on: true, store: "memory", store_is_up: true, fail_mode: "open" })
  expect(body.traffic.at(-1).soft_blocked).toBeGreaterThanOrEqual(20)
  expect(body.top_addresses).toContainEqual(expect.objectContaining({ name: "192.0.2.19", requests: 120, refused: 20 }))
})
