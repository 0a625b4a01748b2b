// a submission is sent, over several engines, until one accepts; these engines are scripted, conformance/ has the real ones.
import { getEventListeners } from "node:events"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { TransportError } from "../calls/errors.ts"
import { failure } from "../test-support/failure.ts"
import { ManualClock } from "../test-support/manual-clock.ts"
import { deferred, refusal } from "../test-support/samples.ts"
import { type Received, type Reply, ScriptedEngine } from "../test-support/scripted-engine.ts"
import { EngineClient } from "./engine-client.ts"
import { type SubmitOptions, submit } from "./submit.ts"

const INTAKE = "/v1/intake/onboarding"
const payload = { email: "ada@example.org" }
const accept = ({ headers }: Received): Reply => ({
  status: 202,
  body: { idempotencyKey: headers["idempotency-key"] },
})
const hang = () => "hang" as const

let near: ScriptedEngine
let far: ScriptedEngine

beforeEach(async () => {
  near = (await ScriptedEngine.start()).on(INTAKE, accept)
  far = (await ScriptedEngine.start()).on(INTAKE, accept)
})
afterEach(() => Promise.all([near.stop(), far.stop()]))

type Options = Partial<Extract<SubmitOptions, { readonly urls: readonly string[] }>>

const send = ({ urls = [near.url, far.url], ...options }: Options = {}) =>
  submit({ urls, definitionId: "onboarding", payload, ...options })

const keysOf = (...engines: ScriptedEngine[]) =>
  new Set(engines.flatMap(({ received }) => received.map(({ headers }) => headers["idempotency-key"])))

describe("one engine answers", () => {
  test("A-03: the first that accepts is the only one that was asked; the key is made here and given back", async () => {
    const { idempotencyKey, url } = await send({ apiKey: "mill_x", linkingId: "user 1" })
    expect(idempotencyKey).toMatch(/^[0-9a-f-]{36}$/)
    expect(url).toBe(near.url)
    expect(near.received).toHaveLength(1)
    expect(near.received[0]).toMatchObject({
      body: payload,
      headers: { "idempotency-key": idempotencyKey, authorization: "Bearer mill_x" },
    })
    expect(near.received[0]?.query.get("linkingId")).toBe("user 1")
    expect(far.received).toEqual([])
  })

  test("A-03: the caller's own key is used", async () => {
    expect((await send({ key: "mine" })).idempotencyKey).toBe("mine")
    expect(keysOf(near)).toEqual(new Set(["mine"]))
  })

  test.each([400, 401, 403, 404, 409, 413, 415, 421, 422])("A-03: %i is final: it is told at once", async (status) => {
    near.on(INTAKE, () => refusal(status, "some-code"))
    expect(await failure(send({ clock: new ManualClock() }))).toMatchObject({ name: "MillraceError", status })
    expect([near.received.length, far.received.length]).toEqual([1, 0])
  })

  test("clients that are given keep their connections, and stay open", async () => {
    const client = new EngineClient({ url: near.url })
    for (let n = 0; n < 3; n++) await submit({ clients: [client], definitionId: "onboarding", payload })
    await client.intake("onboarding", payload, { key: "k" })
    expect([near.received.length, near.connections]).toEqual([4, 1])
    client.close()
  })

  test("without any engine there is nobody to ask", async () => {
    expect(await failure(send({ urls: [] }))).toBeInstanceOf(TypeError)
  })

  test("what is no JSON is refused here", async () => {
    expect(await failure(send({ payload: { n: 1n } }))).toBeInstanceOf(TypeError)
    expect(near.received).toEqual([])
  })
})

describe("an engine is in trouble", () => {
  const alone = (options: Options = {}) => send({ urls: [near.url], ...options })

  test.each([408, 429, 500, 502, 503, 504])("A-03: %i is sat out, with the same key and body", async (status) => {
    near.once(INTAKE, () => refusal(status, "some-code"))
    await alone()
    expect(near.received).toHaveLength(2)
    expect(keysOf(near).size).toBe(1)
    expect(new Set(near.received.map(({ text }) => text)).size).toBe(1)
  })

  test("A-03: Retry-After is kept, and not to the moment, so that not all come back at once", async () => {
    const clock = new ManualClock()
    near.once(INTAKE, () => refusal(503, "unavailable", { "retry-after": "7" }))
    const submitted = alone({ clock, hedgeAfterMs: 60_000 })
    await clock.timerWithin(8_400)
    const [pause = 0] = clock.pending
    expect(pause).toBeGreaterThanOrEqual(7_000)
    clock.advance(pause - 1)
    expect(near.received).toHaveLength(1)
    clock.advance(1)
    await submitted
    expect(near.received).toHaveLength(2)
  })

  test("A-03: pauses grow while the trouble lasts", async () => {
    const clock = new ManualClock()
    near.on(INTAKE, () => refusal(503, "unavailable"))
    const over = new AbortController()
    const submitted = failure(alone({ clock, hedgeAfterMs: 3_600_000, signal: over.signal }))
    const pauses: number[] = []
    for (let n = 1; n <= 5; n++) {
      await near.until(() => near.received.length === n)
      await clock.timerWithin(30_000)
      pauses.push(clock.pending[0] as number)
      clock.advance(pauses.at(-1) as number)
    }
    over.abort("enough")
    expect(await submitted).toBe("enough")
    pauses.forEach((pause, n) => {
      expect(pause).toBeGreaterThanOrEqual(80 * 2 ** n)
      expect(pause).toBeLessThanOrEqual(120 * 2 ** n)
    })
  })

  test("A-03: an answer that got lost on the way is asked for again", async () => {
    near.once(INTAKE, (received) => {
      received.cut()
      return "hang"
    })
    await alone()
    expect(near.received).toHaveLength(2)
    expect(keysOf(near).size).toBe(1)
  })

  test("A-03: only an engine can accept: a friendly answer of something in between does not count", async () => {
    near.once(INTAKE, () => ({ status: 200, text: "<html>Welcome</html>" }))
    near.once(INTAKE, () => ({ status: 200, body: { ok: true } }))
    near.once(INTAKE, () => ({ status: 204 }))
    near.once(INTAKE, () => ({ status: 302, headers: { location: "/login" } }))
    await alone()
    expect(near.received).toHaveLength(5)
  })

  test("A-03: an engine that never answers is asked again after a while", async () => {
    near.once(INTAKE, hang)
    await alone({ attemptTimeoutMs: 50 })
    // Once more for each further attempt that a slow machine needs longer for.
    expect(near.received.length).toBeGreaterThanOrEqual(2)
  })
})

describe("several engines", () => {
  test("A-03: when the first is silent the next is asked too, its 202 wins, and the first is let go", async () => {
    near.on(INTAKE, hang)
    const clock = new ManualClock()
    const clients = [near, far].map(({ url }) => new EngineClient({ url }))
    const { signal } = new AbortController()
    const bounds = { deadlineMs: 60_000, signal, clock }
    const submitted = submit({ clients, definitionId: "onboarding", payload, ...bounds })
    await near.until(() => near.received.length === 1)
    clock.advance(299)
    expect(far.received).toEqual([])
    clock.advance(1)
    expect((await submitted).url).toBe(far.url)
    await near.received[0]?.gone
    expect(keysOf(near, far).size).toBe(1)
    expect(clock.pending).toEqual([])
    expect(getEventListeners(signal, "abort")).toEqual([])
    for (const client of clients) client.close()
  })

  test("A-03: a first that answers in time is the only one", async () => {
    const late = deferred()
    near.on(INTAKE, async (received) => {
      await late.promise
      return accept(received)
    })
    const clock = new ManualClock()
    const submitted = send({ clock })
    await near.until(() => near.received.length === 1)
    clock.advance(299)
    late.resolve()
    expect((await submitted).url).toBe(near.url)
    clock.advance(10_000)
    expect(far.received).toEqual([])
  })

  test("A-03: a first that answers after all, before the second, wins", async () => {
    const late = deferred()
    near.on(INTAKE, async (received) => {
      await late.promise
      return accept(received)
    })
    far.on(INTAKE, hang)
    const submitted = send({ hedgeAfterMs: 0 })
    await far.until(() => far.received.length === 1)
    late.resolve()
    expect((await submitted).url).toBe(near.url)
    await far.received[0]?.gone
  })

  test("A-03: trouble at the first is no reason to wait: the next is asked at once", async () => {
    const gone = near.url
    await near.stop()
    const clock = new ManualClock()
    expect((await send({ urls: [gone, far.url], clock })).url).toBe(far.url)
    near = await ScriptedEngine.start()
    near.on(INTAKE, () => refusal(503, "unavailable", { "retry-after": "60" }))
    expect((await send({ clock })).url).toBe(far.url)
  })

  test("A-03: each engine has one request at a time, however it came to be asked", async () => {
    const clock = new ManualClock()
    near.on(INTAKE, () => refusal(503, "unavailable", { "retry-after": "60" }))
    const late = deferred()
    far.on(INTAKE, async (received) => {
      await late.promise
      return accept(received)
    })
    const submitted = send({ clock })
    await far.until(() => far.received.length === 1)
    clock.advance(10_000)
    // A second request would have been on its way before this one.
    await fetch(`${far.url}/healthz`)
    expect([near.requests(INTAKE).length, far.requests(INTAKE).length]).toEqual([1, 1])
    late.resolve()
    await submitted
  })

  test("A-03: an engine that hangs keeps nobody from asking the other again", async () => {
    near.on(INTAKE, hang)
    for (let n = 0; n < 3; n++) far.once(INTAKE, () => refusal(503, "unavailable"))
    expect((await send({ hedgeAfterMs: 1 })).url).toBe(far.url)
    expect([near.received.length, far.received.length]).toEqual([1, 4])
  })

  test("A-03: all are down; when one comes back it is found", async () => {
    const { url } = near
    const downs = [url, far.url]
    await Promise.all([near.stop(), far.stop()])
    const submitted = send({ urls: downs })
    far = await ScriptedEngine.start()
    near = (await ScriptedEngine.start(Number(new URL(url).port))).on(INTAKE, accept)
    expect((await submitted).url).toBe(url)
  })

  test("A-03: a refusal for good by any of them ends it", async () => {
    near.on(INTAKE, hang)
    far.on(INTAKE, () => refusal(413, "payload-too-large"))
    expect(await failure(send({ hedgeAfterMs: 1 }))).toMatchObject({ status: 413 })
    await near.received[0]?.gone
  })
})

describe("the end of patience", () => {
  test("an abort ends it with the signal's reason, and what is under way is let go", async () => {
    near.on(INTAKE, hang)
    const over = new AbortController()
    const submitted = failure(send({ signal: over.signal, hedgeAfterMs: 60_000 }))
    await near.until(() => near.received.length === 1)
    over.abort("shutting down")
    expect(await submitted).toBe("shutting down")
    await near.received[0]?.gone
    expect(far.received).toEqual([])
  })

  test("a signal that has aborted before is not even asked for", async () => {
    expect(await failure(send({ signal: AbortSignal.abort("never") }))).toBe("never")
    expect(near.received).toEqual([])
  })

  test("a deadline ends it, with the last trouble as its cause", async () => {
    const clock = new ManualClock()
    near.on(INTAKE, () => refusal(503, "unavailable", { "retry-after": "60" }))
    const submitted = failure(send({ urls: [near.url], clock, deadlineMs: 5_000, key: "k-1" }))
    await clock.timerWithin(80_000)
    await near.until(() => near.received.length === 1)
    while (clock.pending.length < 3) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(5_000)
    const error = await submitted
    expect(error).toBeInstanceOf(TransportError)
    expect(error).toMatchObject({ kind: "timeout", message: expect.stringContaining("k-1"), cause: { status: 503 } })
  })
})
