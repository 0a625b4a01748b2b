// A PostgreSQL of one test's own, which it may kill, fill or follow with a standby.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { loadConfig } from "../config.ts"
import { type Core, openCore } from "../core.ts"
import { Database } from "../db/database.ts"
import { isAlive } from "../db/embedded/processes.ts"
import type { ServerSettings } from "../db/embedded/server-settings.ts"
import { type Embedded, startEmbedded } from "../db/embedded.ts"
import type { Row } from "../db/train.ts"
import { createLogger } from "../support/log.ts"
import { makeServerFolder } from "./memory-folder.ts"
import { steadyPort } from "./steady-port.ts"

/** Durability settings stay as in production: a test that kills a server asks whether committed data is there. */
const SETTINGS = { shared_buffers: "16MB", max_connections: "40", max_wal_size: "64MB" }

export interface OwnServer {
  readonly dsn: string
  /** Text of SQL, as the operator of the server; on a connection that is closed afterwards. */
  ask(text: string): Promise<Row[]>
  /** Kills the server with -9, as a power cut would end it. */
  kill(): Promise<void>
  /** After a kill: at the same address. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface Pair {
  readonly primary: OwnServer
  readonly standby: OwnServer
  /** Until the standby has all that the primary has written. */
  untilCaughtUp(): Promise<void>
  /** The standby hears no more of its primary, which does not notice. */
  cutStream(): Promise<void>
  /** The standby is the primary from now on. */
  promote(): Promise<void>
}

/** `parent`: a folder to make its own in. */
export async function startOwnServer(extra: ServerSettings = {}, parent?: string): Promise<OwnServer> {
  const folder = parent === undefined ? makeServerFolder("millrace-own-") : mkdtempSync(join(parent, "millrace-own-"))
  return ownServer(folder, extra)
}

/** `confirms`: a commit is answered when the standby has it. */
export async function startPair({ confirms }: { confirms: boolean }): Promise<Pair> {
  const [first, second] = [makeServerFolder("millrace-primary-"), makeServerFolder("millrace-standby-")]
  await (await startEmbedded({ dataDir: first, settings: SETTINGS })).stop()
  cpSync(first, second, { recursive: true })
  const primary = await ownServer(first, {})
  writeFileSync(join(second, "postgres", "standby.signal"), "")
  const { hostname, port, username, password } = new URL(primary.dsn)
  const link = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`
  const standby = await ownServer(second, { primary_conninfo: link })
  const confirmed = `select from pg_stat_replication where application_name = 'standby' and state = 'streaming'`
  await expect.poll(() => primary.ask(confirmed)).toHaveLength(1)
  if (confirms) await reconfigure(primary, "synchronous_standby_names", "standby")
  return {
    primary,
    standby,
    untilCaughtUp: async () => {
      const caughtUp = "select replay_lsn >= pg_current_wal_lsn() as is_so from pg_stat_replication"
      await expect.poll(() => primary.ask(caughtUp)).toEqual([{ is_so: true }])
    },
    cutStream: async () => {
      await reconfigure(standby, "primary_conninfo", "")
      await expect.poll(() => standby.ask("select from pg_stat_wal_receiver")).toEqual([])
    },
    promote: async () => void (await standby.ask("select pg_promote(true, 240)")),
  }
}

/** An engine, without doors, on the database behind this DSN. */
export const openCoreOn = (dsn: string, env: Record<string, string> = {}): Promise<Core> =>
  openCore(
    loadConfig({ env: { WE_POSTGRES_DSN: dsn, DB_MAX_CONNS: "8", DB_CONNECT_TIMEOUT: "30s", ...env } }),
    createLogger({ level: "silent" }),
  )

async function ownServer(folder: string, extra: ServerSettings): Promise<OwnServer> {
  const settings = { ...SETTINGS, ...extra }
  // The port of its last start, as it would read it: while the server is killed no other process takes this one.
  writeFileSync(join(folder, "port"), String(await steadyPort()))
  let server: Embedded = await startEmbedded({ dataDir: folder, settings })
  const { tcpDsn: dsn } = server
  return {
    dsn,
    ask: (text) => ask(dsn, text),
    kill: async () => {
      await kill(folder)
      await server.stop()
    },
    restart: async () => {
      server = await startEmbedded({ dataDir: folder, settings })
      expect(server.tcpDsn).toBe(dsn)
    },
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function reconfigure(server: OwnServer, name: string, value: string): Promise<void> {
  await server.ask(`alter system set ${name} = '${value}'`)
  await server.ask("select pg_reload_conf()")
  await expect.poll(() => server.ask(`show ${name}`)).toEqual([{ [name]: value }])
}

async function ask(dsn: string, text: string): Promise<Row[]> {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  try {
    return await db.script(text)
  } finally {
    await db.close()
  }
}

/** Its other processes end when they see that the first one is gone. */
async function kill(folder: string): Promise<void> {
  const [pid] = readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8").split("\n")
  process.kill(Number(pid), "SIGKILL")
  await expect.poll(() => isAlive(Number(pid))).toBe(false)
}
