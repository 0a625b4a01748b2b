// An engine that has no sink and polls loads nothing of Kafka: in a process of its own, in which loading it is an error.
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestDatabase } from "./test-support/test-engine.ts"

let database: { dsn: string; drop(): Promise<void> }
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const HOOK = `export function load(url, context, next) {
  if (/@platformatic|transports.kafka/.test(url)) throw new Error("loaded " + url)
  return next(url, context)
}`
const file = (name: string) => JSON.stringify(new URL(`../dist/${name}.js`, import.meta.url).href)
const PROGRAM = `import { register } from "node:module"
  register("data:text/javascript," + encodeURIComponent(${JSON.stringify(HOOK)}))
  const [{ loadConfig }, { startEngine }, { createLogger }] =
    await Promise.all([import(${file("config")}), import(${file("engine")}), import(${file("support/log")})])
  const engine = await startEngine(loadConfig({ env: process.env, readFile: () => "" }), createLogger({ level: "silent" }))
  const headers = { "content-type": "application/json" }
  const body = JSON.stringify({ type: "paid", payload: {} })
  console.log((await fetch(engine.restUrl + "/v1/events", { method: "POST", headers, body })).status)
  await engine.stop()`

async function start(more: Record<string, string> = {}): Promise<string> {
  const ports = { WE_REST_PORT: "0", WE_GRPC_PORT: "0", WE_METRICS_PORT: "0" }
  const env = { PATH: process.env.PATH, WE_POSTGRES_DSN: database.dsn, DB_MAX_CONNS: "4", ...ports, ...more }
  return promisify(execFile)(process.execPath, ["--input-type=module", "--eval", PROGRAM], { env }).then(
    ({ stdout }) => stdout.trim(),
    ({ stderr }) => String(/loaded \S+/.exec(stderr)?.[0] ?? stderr),
  )
}

test("C-100, C-89: without a sink and by polling nothing of Kafka is loaded, also when an event is published", async () => {
  expect(await start()).toBe("202")
})

test.each([{ WE_EVENT_SINKS: "kafka" }, { WE_DISPATCH_MODE: "kafka_outbox" }, { WE_WAKEUP_TOPIC: "woken" }])(
  "C-89: with %j it is",
  async (asked) => {
    const brokers = { WE_KAFKA_SEED_BROKERS: "127.0.0.1:1", WE_KAFKA_TRANSPORT: "plaintext" }
    expect(await start({ ...asked, ...brokers } as Record<string, string>)).toContain("transports/kafka")
  },
)
