// Several addresses: when one is in trouble the next is asked, and what may have had its effect is not done twice.
import { afterEach, beforeEach, expect, test } from "vitest"
import { refusal, sampleJob } from "../test-support/samples.ts"
import { ScriptedEngine } from "../test-support/scripted-engine.ts"
import { EngineClient } from "./engine-client.ts"
import type { EngineClientOptions } from "./engine-client-options.ts"

let near: ScriptedEngine
let far: ScriptedEngine
let client: EngineClient | undefined

beforeEach(async () => {
  near = await ScriptedEngine.start()
  far = await ScriptedEngine.start()
})
afterEach(async () => {
  client?.close()
  await Promise.all([near.stop(), far.stop()])
})

const connect = (options: Partial<EngineClientOptions> = {}): EngineClient => {
  client = new EngineClient({ url: [near.url, far.url], workerId: "w", ...options })
  return client
}

const takesStarts = (engine: ScriptedEngine) => engine.on("/v1/instances", () => ({ status: 201, body: { id: "i" } }))

test("C-104: the first address is asked while it answers", async () => {
  for (let i = 0; i < 3; i++) await connect().complete("j", {})
  expect([near.received.length, far.received.length]).toEqual([3, 0])
})

test("C-104: an address that is gone is left at once, and stays left", async () => {
  const engine = connect()
  await near.stop()
  await engine.complete("j", {})
  await engine.complete("k", {})
  expect(far.received).toHaveLength(2)
  near = await ScriptedEngine.start()
})

test("C-104: a poll goes to the next address when it never left", async () => {
  const engine = connect()
  await near.stop()
  far.offer(sampleJob())
  expect(await engine.poll({ jobTypes: ["charge-card"] })).toHaveLength(1)
  near = await ScriptedEngine.start()
})

test("C-104: a start whose answer was lost is sent to the next with the same key", async () => {
  near.on("/v1/instances", (received) => {
    received.cut()
    return "hang"
  })
  takesStarts(far)
  await connect().startInstance({ definitionId: "order" })
  const keys = [...near.received, ...far.received].map(({ headers }) => headers["idempotency-key"])
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
})

test("C-104: an engine that is leaving answers 503, and the next one is asked", async () => {
  near.on("/v1/instances", () => refusal(503, "unavailable"))
  takesStarts(far)
  const engine = connect()
  await engine.startInstance({ definitionId: "order" })
  await engine.startInstance({ definitionId: "order" })
  expect([near.received.length, far.received.length]).toEqual([1, 2])
})

test("C-104: a refusal is the engine's word, and no other is asked", async () => {
  near.on("/v1/instances", () => refusal(409, "conflict"))
  await expect(connect().startInstance({ definitionId: "order" })).rejects.toMatchObject({ code: "conflict" })
  expect(far.received).toEqual([])
})

test("C-104: addresses may be one text, separated by commas", async () => {
  const engine = connect({ url: `${near.url}, ${far.url}` })
  await near.stop()
  await engine.complete("j", {})
  expect(far.received).toHaveLength(1)
  near = await ScriptedEngine.start()
})

test.each([[], "", "http://a:1,,http://b:2", ["http://a:1", "localhost"]])("the address %j is refused", (url) => {
  expect(() => new EngineClient({ url })).toThrow(TypeError)
})
