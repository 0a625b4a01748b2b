import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Watcher } from "../../../operations/observability/overview-feed.ts"
import { feedOf } from "../../../operations/observability/overview-feed.ts"
import type { Principal } from "../../../operations/people/api-keys.ts"
import { end, service, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { eventually } from "../../../test-support/mills.ts"
import { type EventStream, openStream } from "../../rest/test-support/event-stream.ts"
import { rawConnection } from "../../rest/test-support/raw-http.ts"
import { createTestServer, type TestServer, TIMEOUTS } from "../../rest/test-support/test-server.ts"

const keys: Record<string, Principal> = {
  metrics: { id: "metrics", name: "metrics", scopes: ["metrics:read"] },
  both: { id: "both", name: "both", scopes: ["metrics:read", "instances:read"] },
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const SOMEBODY = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"

let server: TestServer
/** The watchers that are connected now. */
const watching = new Set<Watcher>()
beforeAll(async () => {
  server = await createTestServer({ keys })
  await server.engine.upload(workflow("flow", [service("work", "end"), end()]))
  const feed = feedOf(server.engine.kernel)
  const join = feed.join.bind(feed)
  feed.join = (watcher) => {
    const leave = join(watcher)
    watching.add(watcher)
    return () => {
      watching.delete(watcher)
      leave()
    }
  }
})
afterAll(() => server.close())

const open = (query = "", headers = {}): Promise<EventStream> => openStream(`${server.url}/v1/stream${query}`, headers)
const enqueue = (priority: string) => server.call("POST /jobs", { body: { type: "streamed", payload: {}, priority } })

describe("what it tells", () => {
  test("C-122: when to come back, the overview at once, and then what changes", async () => {
    const stream = await open()
    expect(stream.status).toBe(200)
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    expect(stream.headers.get("cache-control")).toBe("no-store")
    expect(stream.headers.get("content-encoding")).toBeNull()
    expect(await stream.opening()).toBe("retry: 2000")
    const first = await stream.next()
    expect(first).toMatchObject({ event: "overview", data: { total: { depth: 0 }, leases: 0 } })
    await enqueue("high")
    const second = await stream.next("overview")
    expect(second?.data.lanes.map(({ depth }: { depth: number }) => depth)).toEqual([0, 1, 0])
    stream.close()
  })

  test("C-122: an instance that is watched is told at once, and at every change until it has ended", async () => {
    const worker = drive(server.engine.kernel)
    const id = await worker.start("flow")
    const stream = await open(`?instanceId=${id}&instanceId=${SOMEBODY}`)
    const first = await stream.next("instance")
    expect(first?.data).toEqual({ id, version: expect.any(Number), status: "ACTIVE" })
    await worker.complete(await worker.claimOne("work"))
    let last = first?.data
    while (last.status !== "COMPLETED") {
      const next = (await stream.next("instance"))?.data
      expect(next.version).toBeGreaterThan(last.version)
      last = next
    }
    stream.close()
  })

  test("C-14: a stream that was opened and closed leaves no line in the log", async () => {
    const before = server.lines.length
    const stream = await open()
    await stream.next()
    stream.close()
    await eventually(() => watching.size).toBe(0)
    expect(server.lines.slice(before)).toEqual([])
  })
})

describe("who may listen", () => {
  test("SEC-27: instances are only for those who may read them", async () => {
    const refused = await server.call(`GET /v1/stream?instanceId=${SOMEBODY}`, { headers: bearer("metrics") })
    expect([refused.status, refused.body.message]).toEqual([403, "this key has no scope instances:read"])
    for (const [query, key] of [
      ["", "metrics"],
      [`?instanceId=${SOMEBODY}`, "both"],
    ] as const) {
      const stream = await open(query, bearer(key))
      expect(stream.status).toBe(200)
      stream.close()
    }
  })

  test.each([
    ["21 instances", Array.from({ length: 21 }, (_, n) => `instanceId=i${n}`).join("&")],
    ["something that is no id", "instanceId=%00"],
    ["an empty id", "instanceId="],
  ])("%s: 400", async (_, query) => {
    const { status, body } = await server.call(`GET /v1/stream?${query}`)
    expect([status, body.details[0].path]).toEqual([400, "query.instanceId"])
  })

  test("201 at once: the last is told to try later, and has a place when another leaves", async () => {
    const leave = Array.from({ length: 200 }, () =>
      feedOf(server.engine.kernel).join({ instanceIds: [], tell: () => {}, end: () => {} }),
    )
    const { status, body } = await server.call("GET /v1/stream")
    expect([status, body.error]).toEqual([503, "unavailable"])
    leave[0]?.()
    const stream = await open()
    expect(stream.status).toBe(200)
    stream.close()
    for (const one of leave) one()
  })

  test("HEAD answers as GET would, and listens to nothing; POST is no method here", async () => {
    const head = await fetch(`${server.url}/v1/stream`, { method: "HEAD" })
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
    await eventually(() => watching.size).toBe(0)
    expect((await server.call("POST /v1/stream")).status).toBe(405)
  })
})

describe("how it ends", () => {
  test("nobody watches for a client that has gone", async () => {
    const stream = await open()
    await stream.next()
    expect(watching.size).toBe(1)
    stream.close()
    await eventually(() => watching.size).toBe(0)
  })

  test("with the server, at once and in good order; while it drains no new one is opened", async () => {
    let draining = false
    const other = await createTestServer({ engine: server.engine, draining: () => draining })
    const stream = await openStream(`${other.url}/v1/stream`)
    await stream.next()
    draining = true
    expect((await other.call("GET /v1/stream")).body).toMatchObject({ error: "unavailable" })
    const closed = other.close()
    expect(await stream.next("end")).toBeUndefined()
    await closed
    expect(watching.size).toBe(0)
  })

  test("it outlives the timeouts of other answers", async () => {
    const timeouts = { ...TIMEOUTS, writeMs: 1_500, handlerMs: 1_500 }
    const other = await createTestServer({ engine: server.engine, timeouts })
    const stream = await openStream(`${other.url}/v1/stream`)
    await stream.next()
    // The rates change by themselves as spans of two seconds end, and waiting jobs grow older.
    for (let n = 0; n < 3; n++) expect((await stream.next("overview"))?.event).toBe("overview")
    stream.close()
    await other.close()
  })

  test("a reader that does not read is cut off", async () => {
    const slow = await rawConnection(server.url)
    slow.write("GET /v1/stream HTTP/1.1\r\nhost: localhost\r\n\r\n")
    await eventually(() => watching.size).toBe(1)
    slow.socket.pause()
    const [watcher] = watching as unknown as [Watcher]
    // More than the buffers of the connection hold.
    const much = JSON.stringify("x".repeat(50_000))
    for (let n = 0; n < 10_000 && watching.size > 0; n++) {
      watcher.tell("overview", much)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(watching.size).toBe(0)
    slow.socket.resume()
    if (!slow.socket.destroyed) await once(slow.socket, "close")
  })
})
