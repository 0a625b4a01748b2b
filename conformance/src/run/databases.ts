// A PostgreSQL for one run, thrown away afterwards; each cell's engine has a database of its own on it.
import { rmSync } from "node:fs"
import { join } from "node:path"
import { loadConfig } from "../../../engine/dist/config.js"
import { Database } from "../../../engine/dist/db/database.js"
import { startEmbedded } from "../../../engine/dist/db/embedded.js"
import { startEngine } from "../../../engine/dist/engine.js"
import { createLogger } from "../../../engine/dist/support/log.js"
import { ENGINE_SETTINGS } from "../scenarios/cell/settings.ts"
import { startBroker } from "./broker.ts"
import { type RunningEngine, startEngineProcess } from "./engine-process.ts"

/** Durability is proved elsewhere. */
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: 200 }

export interface EngineOrder {
  /** The command line that starts the engine. Without it the engine runs in this process. */
  readonly cli?: string | undefined
  /** The engine dispatches these job types through a Kafka of its own. */
  readonly dispatched?: readonly string[] | undefined
}

export interface Hosting {
  openEngine(order: EngineOrder): Promise<RunningEngine>
  close(): Promise<void>
}

export async function openHosting(folder: string): Promise<Hosting> {
  const dataDir = join(folder, "database")
  const embedded = await startEmbedded({ dataDir, settings: SETTINGS })
  let databases = 0
  return {
    async openEngine({ cli, dispatched }) {
      const at = ++databases
      const dsn = await createDatabase(embedded.dsn, `cell_${at}`)
      const broker = dispatched && (await startBroker(join(folder, `kafka-${at}`), dispatched))
      const settings = { ...ENGINE_SETTINGS, ...broker?.settings, WE_POSTGRES_DSN: dsn, DB_MAX_CONNS: "8" }
      const engine = cli ? await startEngineProcess(cli, settings) : await startHere(settings)
      const stop = () => engine.stop().finally(() => broker?.stop())
      return { urls: engine.urls, brokers: broker?.addresses, stop }
    },
    async close() {
      await embedded.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function startHere(settings: Readonly<Record<string, string>>): Promise<RunningEngine> {
  const env = { ...settings, ...PORTS }
  const engine = await startEngine(loadConfig({ env }), createLogger({ level: "silent" }))
  const urls = { rest: engine.restUrl, grpc: engine.grpcUrl, metrics: engine.metricsUrl }
  return { urls, brokers: undefined, stop: () => engine.stop() }
}

/** Any that are free. */
const PORTS = { WE_REST_PORT: "0", WE_GRPC_PORT: "0", WE_METRICS_PORT: "0" }

async function createDatabase(dsn: string, name: string): Promise<string> {
  const admin = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  await admin.script(`create database ${name}`)
  await admin.close()
  const url = new URL(dsn)
  url.pathname = `/${name}`
  return url.href
}
