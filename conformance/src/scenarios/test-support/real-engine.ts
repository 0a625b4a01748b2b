// A whole engine behind its doors, on a database of its own whose clock can be moved; one per test file.
import { EngineClient } from "@millrace/sdk"
import { loadConfig } from "../../../../engine/dist/config.js"
import { Database } from "../../../../engine/dist/db/database.js"
import { type Engine, startEngine } from "../../../../engine/dist/engine.js"
import { createLogger } from "../../../../engine/dist/support/log.js"
import { steadyPort } from "../../../../engine/dist/test-support/steady-port.js"
import { createTestDatabase } from "../../../../engine/dist/test-support/test-engine.js"
import { MetricsPage } from "./metrics-page.ts"

export interface RealEngine {
  readonly url: string
  readonly grpcUrl: string
  readonly metricsUrl: string
  /** The connection string of its database, for another engine on the same database. */
  readonly dsn: string
  readonly client: EngineClient
  /** For what no door shows. */
  readonly db: Database
  metrics(): Promise<MetricsPage>
  /** Moves the database's clock; the engine notices at its next pulse. */
  advanceClock(ms: number): Promise<void>
  /** Drains and stops the server; its port is kept for `start`. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** `through`: the engine's way to the database, by a pooler for example. */
export async function openRealEngine(
  env: Record<string, string> = {},
  through: (dsn: string) => string = (dsn) => dsn,
): Promise<RealEngine> {
  const { dsn, drop } = await createTestDatabase()
  const launch = (port: string): Promise<Engine> => {
    const settings = {
      WE_POSTGRES_DSN: through(dsn),
      WE_REST_PORT: port,
      WE_METRICS_PORT: "0",
      WE_GRPC_PORT: "0",
      DB_MAX_CONNS: "8",
      ...env,
    }
    return startEngine(loadConfig({ env: settings }), createLogger({ level: "silent" }))
  }
  const port = String(await steadyPort())
  let engine = await launch(port)
  const url = engine.restUrl
  const db = new Database({ dsn, schema: "millrace", maxConnections: 2 })
  const client = new EngineClient({ url })
  let running = true
  const stop = async () => {
    if (running) await engine.stop()
    running = false
  }
  return {
    url,
    grpcUrl: engine.grpcUrl,
    metricsUrl: engine.metricsUrl,
    dsn,
    client,
    db,
    metrics: async () => new MetricsPage(await (await fetch(`${engine.metricsUrl}/metrics`)).text()),
    async advanceClock(ms) {
      await db.script(`update millrace.test_clock set offset_ms = offset_ms + ${Math.round(ms)}`)
    },
    stop,
    async start() {
      engine = await launch(port)
      running = true
    },
    async close() {
      client.close()
      await stop()
      await db.close()
      await drop()
    },
  }
}
