// Where one seed runs: a database, and the simulator's own connections to it.
import { Database } from "../db/database.ts"
import type { Backends } from "./backends.ts"
import { Monitor } from "./monitor.ts"

export interface SeedDatabase {
  readonly dsn: string
  /** For the simulator's own questions. */
  readonly db: Database
  readonly monitor: Monitor
  /** Backends that processes share. Undefined where each opens its own. */
  readonly backends?: Backends
  close(): Promise<void>
}

export async function openNew(dsn: string): Promise<SeedDatabase> {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 2, applicationName: "simulator" })
  const monitor = await Monitor.open(db)
  const close = async () => {
    monitor.close()
    await db.close()
  }
  return { dsn, db, monitor, close }
}
