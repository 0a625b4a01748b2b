// The sinks of a server, from the settings to the receiver: what it takes, what it refuses, and what a start says of a wrong setting.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { ConfigError, loadConfig } from "./config.ts"
import { type Engine, startEngine } from "./engine.ts"
import { publishEvent } from "./operations/events/publish-event.ts"
import type { Kernel } from "./operations/kernel/kernel.ts"
import { createLogger } from "./support/log.ts"
import { createBareKernel } from "./test-support/bare-kernel.ts"
import { advanceClock } from "./test-support/database-clock.ts"
import { eventually } from "./test-support/mills.ts"
import { createTestDatabase } from "./test-support/test-engine.ts"
import { createWebReceiver, type WebReceiver } from "./test-support/web-receiver.ts"

const SECRET = "a secret of the environment"
const PORTS = { WE_REST_PORT: "0", WE_METRICS_PORT: "0", WE_GRPC_PORT: "0", DB_MAX_CONNS: "4" }

describe("settings", () => {
  const problemsOf = (env: Record<string, string>): readonly string[] => {
    try {
      loadConfig({ env, readFile: () => "" })
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
    return []
  }

  test.each<[Record<string, string>, RegExp[]]>([
    [{ WE_EVENT_SINKS: "kafka" }, [/^WE_EVENT_SINKS=kafka needs WE_KAFKA_SEED_BROKERS$/]],
    [{ WE_EVENT_SINKS: "webhook" }, [/needs WE_EVENT_WEBHOOK_URL$/, /needs WE_EVENT_WEBHOOK_SECRET$/]],
    [{ WE_EVENT_WEBHOOK_URL: "https://a.example" }, [/WE_EVENT_WEBHOOK_URL is set, but not used/]],
    [{ WE_EVENT_SINKS: "redis" }, [/^WE_EVENT_SINKS="redis": must be kafka or webhook/]],
    [{ WE_EVENT_WEBHOOK_SECRET: "short" }, [/^WE_EVENT_WEBHOOK_SECRET=\(hidden\): must be a text of at least 24/]],
    [
      { WE_EVENT_SINKS: "webhook", WE_EVENT_WEBHOOK_SECRET: SECRET, WE_EVENT_WEBHOOK_URL: "https://u:p@a.example" },
      [/^WE_EVENT_WEBHOOK_URL=\(hidden\): must be a URL .* without a user/],
    ],
  ])("%o is refused with what is missing", (env, wanted) => {
    expect(problemsOf(env)).toEqual(wanted.map((line) => expect.stringMatching(line)))
  })
})

describe("a webhook", () => {
  let database: { dsn: string; drop(): Promise<void> }
  let kernel: Kernel
  let receiver: WebReceiver
  let engine: Engine | undefined

  beforeAll(async () => {
    database = await createTestDatabase()
    kernel = await createBareKernel(database.dsn)
  })
  afterAll(async () => {
    await kernel.db.close()
    await database.drop()
  })
  beforeEach(async () => {
    receiver = await createWebReceiver()
    const env = {
      ...PORTS,
      WE_POSTGRES_DSN: database.dsn,
      WE_EVENT_SINKS: "webhook",
      WE_EVENT_WEBHOOK_URL: receiver.url,
      WE_EVENT_WEBHOOK_SECRET: SECRET,
      WE_EVENT_WEBHOOK_NETWORKS: "127.0.0.0/8",
      WE_EVENT_WEBHOOK_TRIES: "3",
    }
    engine = await startEngine(loadConfig({ env }), createLogger({ level: "silent" }), { loops: [] })
  })
  afterEach(async () => {
    await engine?.stop()
    await receiver.close()
    await kernel.db.script("delete from millrace.parked_events")
  })

  const publish = (n: number, key: string) => publishEvent(kernel, { type: "t", payload: { n }, key })
  const taken = () => receiver.received.map(({ event }) => event.payload.n)
  const parked = () =>
    kernel.db.script("select key, reason, attempts, next_at is null as waits from millrace.parked_events order by seq")

  test("F-08: what is published is posted, in the order of its key, under the same id", async () => {
    const ids = []
    for (let n = 1; n <= 5; n++) ids.push((await publish(n, "a")).outcome.id)
    await eventually(taken).toEqual([1, 2, 3, 4, 5])
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual(ids)
  })

  test("4xx: parked at once with the reason, those behind it wait, the others go on", async () => {
    receiver.answer = ({ event }) => ({ status: event.payload.n === 1 ? 422 : 200, text: "unknown currency" })
    await publish(1, "a")
    await publish(2, "a")
    await publish(3, "b")
    await eventually(parked).toEqual([
      { key: "a", reason: "the receiver answered 422: unknown currency", attempts: 1, waits: true },
      { key: "a", reason: "an earlier event of its key is parked", attempts: 0, waits: true },
    ])
    await eventually(taken).toEqual(expect.arrayContaining([1, 3]))
    expect(taken()).not.toContain(2)
  })

  test("5xx: posted again with backoff, in order, and parked for an operator after its budget", async () => {
    let isWell = false
    receiver.answer = ({ event }) => ({
      status: event.payload.n === 1 || (event.payload.n === 3 && !isWell) ? 500 : 200,
    })
    await publish(1, "a")
    await publish(3, "b")
    await publish(4, "b")
    await eventually(parked).toMatchObject([
      { key: "a", attempts: 1, waits: false },
      { key: "b", attempts: 1, waits: false },
      { key: "b", attempts: 0 },
    ])
    isWell = true
    await advanceClock(kernel, 1_000)
    await eventually(parked).toMatchObject([{ key: "a", attempts: 2, waits: false }])
    expect(taken().filter((n) => n !== 1)).toEqual([3, 3, 4])
    await advanceClock(kernel, 2_000)
    await eventually(parked).toMatchObject([{ key: "a", attempts: 3, waits: true }])
  })

  test("503 with Retry-After stops the sink for that long, and nothing is parked", async () => {
    receiver.answer = () => ({ status: 503, headers: { "retry-after": "600" } })
    await publish(1, "a")
    const state = async () =>
      (
        await kernel.db.script(
          "select last_error, retry_at > millrace.clock() + interval '500 s' as rests from millrace.sinks",
        )
      )[0]
    await eventually(state).toEqual({ last_error: "the receiver answered 503", rests: true })
    receiver.answer = () => ({ status: 200 })
    await advanceClock(kernel, 600_000)
    await eventually(taken).toEqual([1, 1])
    expect(await parked()).toEqual([])
  })
})
