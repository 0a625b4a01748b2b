// The stage: a real engine and a real lone gateway, each a process of its own with the guard as it is by default, on one private PostgreSQL.
//
// The engine trusts the proxy on 127.0.0.1, so that an attack can come from any address by X-Forwarded-For; a caller on another address
// of this machine is a stranger to it. The gateway trusts no proxy. Needs Linux, where all of 127.0.0.0/8 is this machine.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startEmbedded } from "../../../engine/dist/db/embedded.js"
import { type EngineProcess, startEngineProcess } from "../run/engine-process.ts"
import { type Cast, castOn } from "./cast.ts"
import { startUpstream, type Upstream } from "./upstream.ts"
import { closeConnections } from "./wire.ts"

export interface Stage {
  readonly engine: EngineProcess
  readonly gateway: EngineProcess
  /** What the gateway forwards to. */
  readonly upstream: Upstream
  readonly cast: Cast
  /** The size of an attack, in a full and in a short run. */
  size(full: number, short: number): number
  close(): Promise<void>
}

const CLI = fileURLToPath(new URL("../../../engine/dist/cli.js", import.meta.url))

/** What has to hold does not depend on what a power cut would leave. */
const POSTGRES = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_connections: 60 }

const COMMON = {
  WE_AUTH: "required",
  WE_JWT_SECRET: "for an hour, and for this run alone: 0123456789",
  WE_LOG_LEVEL: "error",
  DB_MAX_CONNS: "8",
}

export async function openStage({ short }: { readonly short: boolean }): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "millrace-attack-"))
  const closes: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true }), closeConnections]
  const close = async () => {
    for (const one of closes.splice(0).reverse()) await one()
  }
  try {
    const database = await startEmbedded({ dataDir: join(folder, "database"), settings: POSTGRES })
    closes.push(() => database.stop())
    const env = { ...COMMON, WE_POSTGRES_DSN: database.dsn }
    const upstream = await startUpstream()
    closes.push(() => upstream.close())
    const engine = await startEngineProcess(CLI, { ...env, WE_TRUSTED_PROXIES: "127.0.0.1" })
    closes.push(() => engine.stop())
    const gateway = await startEngineProcess(CLI, env, ["gateway", "--upstream", upstream.url])
    closes.push(() => gateway.stop())
    const cast = castOn(database.dsn)
    return { engine, gateway, upstream, cast, size: (full, few) => (short ? few : full), close }
  } catch (error) {
    await close()
    throw error
  }
}
