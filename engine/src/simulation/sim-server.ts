// The PostgreSQL of one simulator: of its own, because every transaction of a cluster is seen in the snapshots of all its databases. Its
// statements run by the simulation's clock, and a lock is waited for without end: when a wait is over, the simulation decides.
import { rmSync } from "node:fs"
import { Database } from "../db/database.ts"
import { startEmbedded } from "../db/embedded.ts"
import { cloneOfTemplate, createTemplate, withDatabase } from "../test-support/global-setup.ts"
import { interceptSettings, takeInterception } from "../test-support/lock-waits.ts"
import { makeServerFolder } from "../test-support/memory-folder.ts"

export interface SimServer {
  /** A fresh database, as migrated. */
  create(): Promise<{ readonly dsn: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** Nothing runs by itself there, and nothing is decided by real time. */
const SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  autovacuum: "off",
  deadlock_timeout: "1h",
  max_connections: "100",
  max_wal_size: "4GB",
  checkpoint_timeout: "1h",
}

const SHIM = `
  drop table millrace.test_clock;
  create sequence millrace.sim_clock;
  create or replace function millrace.clock() returns timestamptz language sql volatile as
    'select timestamptz ''epoch'' + last_value * interval ''1 ms'' from millrace.sim_clock';
  ${interceptSettings("simulation", { name: "case name when 'lock_timeout' then 'simulation.lock_timeout' else name end" })}
`

/** A seed opens some twenty connections, and nobody guesses this password. */
const quickLogin = (dsn: string): string =>
  `set scram_iterations = 1; alter role current_user password '${decodeURIComponent(new URL(dsn).password)}'`

export async function startSimServer(): Promise<SimServer> {
  const dataDir = makeServerFolder("millrace-simulation-")
  const server = await startEmbedded({ dataDir, settings: SETTINGS })
  await createTemplate(server.dsn, SHIM)
  const admin = new Database({ dsn: server.dsn, schema: "millrace", maxConnections: 1 })
  await admin.script(quickLogin(server.dsn))
  let made = 0
  return {
    async create() {
      const name = `seed_${made++}`
      await admin.script(cloneOfTemplate(name))
      await admin.script(takeInterception(name, "simulation"))
      return {
        dsn: withDatabase(server.dsn, name),
        drop: async () => void (await admin.script(`drop database ${name} with (force)`)),
      }
    },
    async stop() {
      await admin.close()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
