// C-104: the client of an engine, its errors, repeats, deadlines and connections.

import { setMaxListeners } from "node:events"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { MillraceError, TransportError } from "../calls/errors.ts"
import { UnknownFieldError } from "../calls/unknown-fields.ts"
import { failure } from "../test-support/failure.ts"
import { deferred, refusal, sampleJob } from "../test-support/samples.ts"
import { ScriptedEngine } from "../test-support/scripted-engine.ts"
import { EngineClient } from "./engine-client.ts"
import type { EngineClientOptions } from "./engine-client-options.ts"

let engine: ScriptedEngine
const clients: EngineClient[] = []

beforeEach(async () => {
  engine = await ScriptedEngine.start()
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await engine.stop()
})

function connect(options: Partial<EngineClientOptions> = {}): EngineClient {
  const client = new EngineClient({ url: engine.url, workerId: "worker-1", ...options })
  clients.push(client)
  return client
}

describe("calls", () => {
  test("C-104: poll asks as told and gives the jobs", async () => {
    const job = sampleJob()
    engine.offer(job)
    const jobs = await connect().poll({ jobTypes: ["charge-card"], maxJobs: 3, leaseSeconds: 60, waitSeconds: 5 })
    expect(jobs).toEqual([job])
    expect(engine.received[0]?.body).toEqual({
      workerId: "worker-1",
      jobTypes: ["charge-card"],
      maxJobs: 3,
      leaseSeconds: 60,
      waitSeconds: 5,
    })
  })

  test("C-104: a number that JSON does not have is the caller's error, and nothing is sent", async () => {
    const error = await failure(connect().startInstance({ definitionId: "o", variables: { a: [Number.NaN] } }))
    expect(error).toBeInstanceOf(TypeError)
    expect(engine.received).toEqual([])
  })

  test("C-104: complete, fail and heartbeat name the job in the path and sign with worker and token", async () => {
    const client = connect()
    await client.complete("j:1", { leaseToken: "t", variables: { receipt: "R" } })
    await client.fail("j2", { workerId: "other", retryable: false, errorMessage: "no" })
    const extended = await client.heartbeat("j3", { leaseToken: "t", leaseSeconds: 30 })
    expect(engine.received.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: "/v1/jobs/j%3A1/complete", body: { workerId: "worker-1", leaseToken: "t", variables: { receipt: "R" } } },
      { path: "/v1/jobs/j2/fail", body: { workerId: "other", retryable: false, errorMessage: "no" } },
      { path: "/v1/jobs/j3/heartbeat", body: { workerId: "worker-1", leaseToken: "t", leaseSeconds: 30 } },
    ])
    expect(extended.lockExpiresAt).toBe("2025-01-01T00:00:30.000Z")
  })

  test("a job call without any worker id is refused before it leaves", async () => {
    const client = connect({ workerId: undefined })
    expect(() => client.exchange({})).toThrow("workerId is needed")
    expect(engine.received).toEqual([])
  })

  test("C-T8: 200, 201, 202 and 204 are all good answers", async () => {
    engine.on("/v1/instances", () => ({ status: 201, body: { id: "i1" } }))
    engine.on("/v1/instances/bulk", () => ({ status: 202, body: { id: "b1" } }))
    engine.on("/v1/instances/i1", () => ({ status: 200, body: { id: "i1", somethingNew: true } }))
    const client = connect()
    expect(await client.startInstance({ definitionId: "order" })).toEqual({ id: "i1" })
    expect(await client.startBulk({ action: "cancel", filter: { definitionId: "order" } })).toEqual({ id: "b1" })
    expect(await client.getInstance("i1")).toMatchObject({ id: "i1" })
    expect(await client.signal("i1", "payment", { paid: true })).toBeUndefined()
  })

  test("the API key travels as a bearer token, and a path prefix is kept", async () => {
    await connect({ apiKey: "mill_x", url: `${engine.url}/engine/` }).getBulk("b1")
    expect(engine.received[0]).toMatchObject({
      path: "/engine/v1/bulk/b1",
      headers: { authorization: "Bearer mill_x" },
    })
  })

  test.each(["", ".", ".."])("an id of %j never becomes another path", (id) => {
    expect(() => connect().getInstance(id)).toThrow("is not an id")
  })

  test("a list is walked by its cursors until there is none", async () => {
    const pages: Record<string, object> = {
      "": { items: [{ id: "a" }, { id: "b" }], nextCursor: "c&1" },
      "c&1": { items: [], nextCursor: "c2" },
      c2: { items: [{ id: "c" }] },
    }
    engine.on("/v1/instances", ({ query }) => ({ body: pages[query.get("cursor") ?? ""] }))
    const ids: string[] = []
    for await (const { id } of connect().instances({ status: "FAILED", pageSize: 2 })) ids.push(id)
    expect(ids).toEqual(["a", "b", "c"])
    expect(engine.received.map(({ query }) => query.get("status"))).toEqual(["FAILED", "FAILED", "FAILED"])
  })
})

describe("refusals", () => {
  test.each([400, 401, 403, 404, 409, 410, 413, 415, 422, 500])(
    "C-T8: %i raises and is not repeated",
    async (status) => {
      engine.on("/v1/instances/i1", () => refusal(status, "some-code"))
      const error = await failure(connect().getInstance("i1"))
      expect(error).toBeInstanceOf(MillraceError)
      expect(error).toMatchObject({ status, code: "some-code", retryable: false, requestId: "request-1" })
      expect(engine.received).toHaveLength(1)
    },
  )

  test("C-104: a refusal carries message, details and the seconds to wait", async () => {
    const details = [{ path: "$.id", message: "missing", hint: "add it" }]
    const body = { error: "bad-request", message: "no id", requestId: "r", details }
    engine.on("/v1/definitions", () => ({ status: 400, headers: { "retry-after": "7" }, body }))
    const error = await failure(connect().uploadDefinition({ id: "", name: "", steps: [] }))
    expect(error).toMatchObject({ message: "no id", details, retryAfter: 7, code: "bad-request" })
  })

  test("an answer that is no envelope still tells its status", async () => {
    engine.on("/v1/bulk/b", () => ({ status: 502, text: "<html>bad gateway</html>" }))
    const error = await failure(connect({ maxAttempts: 1 }).getBulk("b"))
    expect(error).toMatchObject({ name: "MillraceError", code: "http-502", status: 502, retryable: true })
  })
})

describe("repeats", () => {
  test("C-104: a 503 is sent again with the same key and body until it is taken", async () => {
    engine.on("/v1/instances", () => ({ status: 201, body: { id: "i1" } }))
    engine.once("/v1/instances", () => refusal(503, "unavailable", { "retry-after": "0" }))
    engine.once("/v1/instances", (received) => {
      received.cut()
      return "hang"
    })
    await connect().startInstance({ definitionId: "order" })
    const keys = engine.received.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toHaveLength(3)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).toBe(1)
    expect(new Set(engine.received.map(({ text }) => text)).size).toBe(1)
  })

  test("the caller's own idempotency key is used as it is", async () => {
    await connect().cancelInstance("i1", { reason: "no" }, { idempotencyKey: "mine" })
    expect(engine.received[0]?.headers["idempotency-key"]).toBe("mine")
  })

  test("without keys a change that may have happened is not sent again", async () => {
    engine.on("/v1/instances", (received) => {
      received.cut()
      return "hang"
    })
    const error = await failure(connect({ autoIdempotencyKeys: false }).startInstance({ definitionId: "order" }))
    expect(error).toMatchObject({ name: "TransportError", kind: "interrupted" })
    expect(engine.received).toHaveLength(1)
    expect(engine.received[0]?.headers["idempotency-key"]).toBeUndefined()
  })

  test("a poll is not repeated: a lost answer may have claimed jobs", async () => {
    engine.on("/v1/jobs/poll", () => refusal(503, "unavailable"))
    expect(await failure(connect().poll({ jobTypes: ["a"] }))).toMatchObject({ status: 503, retryable: true })
    expect(engine.received).toHaveLength(1)
  })

  test("repeats end with the attempts, and then the last error is thrown", async () => {
    engine.on("/v1/bulk/b", () => refusal(503, "unavailable"))
    expect(await failure(connect({ maxAttempts: 2 }).getBulk("b"))).toMatchObject({ code: "unavailable" })
    expect(engine.received).toHaveLength(2)
  })

  test("a wait that would pass the deadline is not begun", async () => {
    engine.on("/v1/bulk/b", () => refusal(429, "rate-limited", { "retry-after": "3600" }))
    const error = await failure(connect().getBulk("b", { timeoutMs: 30_000 }))
    expect(error).toMatchObject({ code: "rate-limited", retryAfter: 3600 })
    expect(engine.received).toHaveLength(1)
  })

  test("a kept-alive connection that the engine closed is replaced at once, also for a poll", async () => {
    const client = connect()
    await client.poll({ jobTypes: ["a"] })
    engine.once("/v1/jobs/poll", (received) => {
      received.cut()
      return "hang"
    })
    expect(await client.poll({ jobTypes: ["a"] })).toEqual([])
    expect(engine.received).toHaveLength(3)
  })
})

describe("transport", () => {
  test("no server: unreachable", async () => {
    const { url } = engine
    const gone = new EngineClient({ url, maxAttempts: 1 })
    await engine.stop()
    expect(await failure(gone.getBulk("b"))).toMatchObject({ name: "TransportError", kind: "unreachable" })
    engine = await ScriptedEngine.start()
  })

  test("no answer within the time: timeout, and the connection is let go", async () => {
    engine.on("/v1/bulk/b", () => "hang")
    const error = await failure(connect().getBulk("b", { timeoutMs: 30 }))
    expect(error).toBeInstanceOf(TransportError)
    expect(error).toMatchObject({ kind: "timeout", retryable: true })
  })

  test("an answer cut in the middle: interrupted", async () => {
    engine.on("/v1/bulk/b", (received) => {
      setImmediate(() => received.cut())
      return { headers: { "content-length": "1000" }, text: '{"id":' }
    })
    const error = await failure(connect({ maxAttempts: 1 }).getBulk("b"))
    expect(error).toMatchObject({ name: "TransportError", kind: "interrupted" })
  })

  test("an answer that is not JSON: malformed", async () => {
    engine.on("/v1/bulk/b", () => ({ text: "hello" }))
    expect(await failure(connect({ maxAttempts: 1 }).getBulk("b"))).toMatchObject({ kind: "malformed" })
  })

  test("an aborted signal ends a call in flight and its repeats, with its own reason", async () => {
    const abort = new AbortController()
    const reason = new Error("enough")
    engine.on("/v1/bulk/b", () => {
      abort.abort(reason)
      return refusal(503, "unavailable", { "retry-after": "20" })
    })
    expect(await failure(connect().getBulk("b", { signal: abort.signal }))).toBe(reason)
    expect(await failure(connect().getBulk("b", { signal: abort.signal }))).toBe(reason)
    expect(engine.received).toHaveLength(1)
  })

  test("waiting polls never keep a report waiting for a connection", async () => {
    const client = connect({ maxSockets: 1 })
    const stop = new AbortController()
    setMaxListeners(0, stop.signal)
    const polls = Array.from({ length: 20 }, () =>
      failure(client.poll({ jobTypes: ["a"], waitSeconds: 20 }, { signal: stop.signal })),
    )
    await engine.until(() => engine.requests("/v1/jobs/poll").length === 20)
    await client.complete("job-1", { leaseToken: "t" })
    stop.abort()
    await Promise.all(polls)
  })

  test("calls beyond the connections wait for their turn and keep to the limit", async () => {
    const gate = deferred()
    let open = 0
    let most = 0
    engine.on("/v1/bulk/*", async () => {
      most = Math.max(most, ++open)
      await gate.promise
      open -= 1
      return { body: {} }
    })
    const client = connect({ maxSockets: 3 })
    const calls = Array.from({ length: 10 }, (_, i) => client.getBulk(`b${i}`))
    await engine.until(() => engine.received.length === 3)
    gate.resolve()
    await Promise.all(calls)
    expect(most).toBe(3)
  })

  test.each(["", "localhost:8080", "ftp://x", "127.0.0.1"])("the base address %j is refused", (url) => {
    expect(() => new EngineClient({ url })).toThrow(TypeError)
  })
})

test("an option that is not known is refused, with the one that was meant", () => {
  const options = { url: "http://127.0.0.1:1", apikey: "k" } as { url: string }
  expect(() => new EngineClient(options)).toThrow('EngineClient has no field "apikey": did you mean "apiKey"?')
  expect(() => new EngineClient(options)).toThrow(UnknownFieldError)
})
